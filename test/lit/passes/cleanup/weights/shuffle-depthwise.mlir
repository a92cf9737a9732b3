// A shuffle goes through a depthwise convolution, whose filters are put in the order from before, to the convolution that
// reads it.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fold-into-weights))' | FileCheck %s

!q = !quant.uniform<i8:f32, 0.5>
// CHECK-LABEL: @main
// CHECK: %[[X:.*]] = compass.input
// CHECK-NOT: compass.channel_shuffle
// CHECK: compass.depthwise_conv(%[[X]])
// CHECK-SAME: weights = dense_resource<[[D:[^>]*]]>
// CHECK-NOT: compass.channel_shuffle
// CHECK: compass.convolution
// CHECK-SAME: weights = dense_resource<[[C:[^>]*]]>
// CHECK-DAG: [[D]]: "0x{{........}}0A0C0B0D"
// CHECK-DAG: [[C]]: "0x{{........}}01030204"
func.func @main() -> tensor<1x2x3x1x!q> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x2x3x4x!q> loc("x")
  %s = compass.channel_shuffle(%x) {compass.tops = ["s"], group = 2 : i64} : (tensor<1x2x3x4x!q>) -> tensor<1x2x3x4x!q> loc("s")
  %d = compass.depthwise_conv(%s) {compass.tops = ["d"], num_output = 4 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, group = 4 : i64, multiplier = 1 : i64, weights = dense<"0x0A0B0C0D"> : tensor<4x1x1x1xi8>, biases = dense<1> : tensor<4xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x2x3x4x!q>) -> tensor<1x2x3x4x!q> loc("d")
  %y = compass.convolution(%d) {compass.tops = ["y"], num_output = 1 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense<"0x01020304"> : tensor<1x1x1x4xi8>, biases = dense<1> : tensor<1xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x2x3x4x!q>) -> tensor<1x2x3x1x!q> loc("y")
  return %y : tensor<1x2x3x1x!q>
}
