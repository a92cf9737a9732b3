// Operands in different orders have no order in common: their transposes stay before the layer.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(sink-transposes))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK-COUNT-2: compass.transpose
// CHECK: %[[Y:.*]] = compass.eltwise
// CHECK-NOT: compass.transpose
// CHECK: return %[[Y]]
func.func @main() -> tensor<1x3x4x5xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x5x3xf32> loc("x")
  %t = compass.transpose(%x) {compass.tops = ["t"], perm = array<i64: 0, 3, 1, 2>} : (tensor<1x4x5x3xf32>) -> tensor<1x3x4x5xf32> loc("t")
  %z = compass.input() {compass.tops = ["z"], input_index = 1 : i64} : () -> tensor<1x3x5x4xf32> loc("z")
  %u = compass.transpose(%z) {compass.tops = ["u"], perm = array<i64: 0, 1, 3, 2>} : (tensor<1x3x5x4xf32>) -> tensor<1x3x4x5xf32> loc("u")
  %y = compass.eltwise(%t, %u) {compass.tops = ["y"]} : (tensor<1x3x4x5xf32>, tensor<1x3x4x5xf32>) -> tensor<1x3x4x5xf32> loc("y")
  return %y : tensor<1x3x4x5xf32>
}
