// Somebody else reads the channels as they were.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fold-into-weights))' | FileCheck %s

!q = !quant.uniform<i8:f32, 0.5>
// CHECK-LABEL: @main
// CHECK: %[[C:.*]] = compass.convolution
// CHECK: compass.channel_shuffle(%[[C]])
func.func @main() -> (tensor<1x2x3x4x!q>, tensor<1x2x3x4x!q>) {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x2x3x1x!q> loc("x")
  %c = compass.convolution(%x) {compass.tops = ["c"], num_output = 4 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense<"0x01020304"> : tensor<4x1x1x1xi8>, biases = dense<1> : tensor<4xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x2x3x1x!q>) -> tensor<1x2x3x4x!q> loc("c")
  %y = compass.channel_shuffle(%c) {compass.tops = ["y"], group = 2 : i64} : (tensor<1x2x3x4x!q>) -> tensor<1x2x3x4x!q> loc("y")
  return %y, %c : tensor<1x2x3x4x!q>, tensor<1x2x3x4x!q>
}
