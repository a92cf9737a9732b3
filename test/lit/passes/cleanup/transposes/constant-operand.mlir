// A constant is transposed at once, so that the other operand's transpose can move.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(sink-transposes))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: compass.constant{{.*}}-> tensor<1x1x1x3xf32>
// CHECK: compass.eltwise{{.*}}-> tensor<1x4x5x3xf32>
// CHECK: compass.transpose
// CHECK-NOT: compass.transpose
func.func @main() -> tensor<1x3x4x5xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x5x3xf32> loc("x")
  %t = compass.transpose(%x) {compass.tops = ["t"], perm = array<i64: 0, 3, 1, 2>} : (tensor<1x4x5x3xf32>) -> tensor<1x3x4x5xf32> loc("t")
  %c = compass.constant() {compass.tops = ["c"], weights = dense<"0x0000803F0000004000004040"> : tensor<1x3x1x1xf32>} : () -> tensor<1x3x1x1xf32> loc("c")
  %y = compass.eltwise(%t, %c) {compass.tops = ["y"]} : (tensor<1x3x4x5xf32>, tensor<1x3x1x1xf32>) -> tensor<1x3x4x5xf32> loc("y")
  return %y : tensor<1x3x4x5xf32>
}
