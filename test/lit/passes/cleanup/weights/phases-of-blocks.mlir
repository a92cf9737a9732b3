// SpaceToDepth before a convolution is the same in one layer.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fold-into-weights))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[X:.*]] = compass.input
// CHECK: compass.convolution(%[[X]])
// CHECK-SAME: kernel_x = 2 : i64, kernel_y = 2 : i64
// CHECK: weights: "0x{{........}}01020304"
!q = !quant.uniform<i8:f32, 0.5>
func.func @main() -> tensor<1x2x3x1x!q> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x6x1x!q> loc("x")
  %b = compass.space_to_depth(%x) {compass.tops = ["b"], block_size_x = 2 : i64, block_size_y = 2 : i64} : (tensor<1x4x6x1x!q>) -> tensor<1x2x3x4x!q> loc("b")
  %y = compass.convolution(%b) {compass.tops = ["y"], num_output = 1 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense<"0x01020304"> : tensor<1x1x1x4xi8>, biases = dense<1> : tensor<1xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x2x3x4x!q>) -> tensor<1x2x3x1x!q> loc("y")
  return %y : tensor<1x2x3x1x!q>
}
