// A convolution of shuffled channels has its weights in another order.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fold-into-weights))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[X:.*]] = compass.input
// CHECK-NOT: compass.channel_shuffle
// CHECK: compass.convolution(%[[X]])
// CHECK: weights: "0x{{........}}01030204"
!q = !quant.uniform<i8:f32, 0.5>
func.func @main() -> tensor<1x2x3x1x!q> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x2x3x4x!q> loc("x")
  %s = compass.channel_shuffle(%x) {compass.tops = ["s"], group = 2 : i64} : (tensor<1x2x3x4x!q>) -> tensor<1x2x3x4x!q> loc("s")
  %y = compass.convolution(%s) {compass.tops = ["y"], num_output = 1 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense<"0x01020304"> : tensor<1x1x1x4xi8>, biases = dense<1> : tensor<1xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x2x3x4x!q>) -> tensor<1x2x3x1x!q> loc("y")
  return %y : tensor<1x2x3x1x!q>
}
