// A product reads its first operand transposed at no cost.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(sink-transposes))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK-NOT: compass.transpose
// CHECK: compass.matmul{{.*}}trans_a = true
func.func @main() -> tensor<2x4x4xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<2x3x4xf32> loc("x")
  %z = compass.input() {compass.tops = ["z"], input_index = 1 : i64} : () -> tensor<2x3x4xf32> loc("z")
  %t = compass.transpose(%x) {compass.tops = ["t"], perm = array<i64: 0, 2, 1>} : (tensor<2x3x4xf32>) -> tensor<2x4x3xf32> loc("t")
  %y = compass.matmul(%t, %z) {compass.tops = ["y"]} : (tensor<2x4x3xf32>, tensor<2x3x4xf32>) -> tensor<2x4x4xf32> loc("y")
  return %y : tensor<2x4x4xf32>
}
