// An operand that is not transposed would need a transpose of its own: nothing moves.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(sink-transposes))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[T:.*]] = compass.transpose
// CHECK: %[[Y:.*]] = compass.eltwise(%[[T]],
// CHECK: return %[[Y]]
func.func @main() -> tensor<1x3x4x5xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x5x3xf32> loc("x")
  %t = compass.transpose(%x) {compass.tops = ["t"], perm = array<i64: 0, 3, 1, 2>} : (tensor<1x4x5x3xf32>) -> tensor<1x3x4x5xf32> loc("t")
  %z = compass.input() {compass.tops = ["z"], input_index = 1 : i64} : () -> tensor<1x3x4x5xf32> loc("z")
  %y = compass.eltwise(%t, %z) {compass.tops = ["y"]} : (tensor<1x3x4x5xf32>, tensor<1x3x4x5xf32>) -> tensor<1x3x4x5xf32> loc("y")
  return %y : tensor<1x3x4x5xf32>
}
