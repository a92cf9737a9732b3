// A convolution of every second channel is one of all with zeros for the others.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fold-into-weights))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[X:.*]] = compass.input
// CHECK: compass.convolution(%[[X]])
// CHECK: weights: "0x{{........}}00010002"
!q = !quant.uniform<i8:f32, 0.5>
func.func @main() -> tensor<1x2x3x1x!q> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x2x3x4x!q> loc("x")
  %s = compass.slice(%x) {compass.tops = ["s"], begin = array<i64: 0, 0, 0, 1>, end = array<i64: 1, 2, 3, 4>, strides = array<i64: 1, 1, 1, 2>} : (tensor<1x2x3x4x!q>) -> tensor<1x2x3x2x!q> loc("s")
  %y = compass.convolution(%s) {compass.tops = ["y"], num_output = 1 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense<"0x0102"> : tensor<1x1x1x2xi8>, biases = dense<1> : tensor<1xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x2x3x2x!q>) -> tensor<1x2x3x1x!q> loc("y")
  return %y : tensor<1x2x3x1x!q>
}
