// A convolution before a shuffle makes its channels in that order, with their biases and scales; of groups it reads all
// channels, with weights of 0 for those of the other group.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fold-into-weights))' | FileCheck %s

!q = !quant.uniform<i8:f32, 0.5>
// CHECK-LABEL: @main
// CHECK-NOT: compass.channel_shuffle
// CHECK: compass.convolution
// CHECK-SAME: biases = dense_resource<[[B:[^>]*]]>
// CHECK-SAME: compass.tops = ["y"]
// CHECK-SAME: scale = dense_resource<[[S:[^>]*]]>
// CHECK-SAME: shift = dense_resource<[[SH:[^>]*]]>
// CHECK-SAME: weights = dense_resource<[[W:[^>]*]]>
// CHECK-DAG: [[B]]: "0x{{........}}0A0000001E0000001400000028000000"
// CHECK-DAG: [[S]]: "0x{{........}}05070608"
// CHECK-DAG: [[SH]]: "0x{{........}}01030204"
// CHECK-DAG: [[W]]: "0x{{........}}01020000000005060304000000000708"
func.func @main() -> tensor<1x2x3x4x!q> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x2x3x4x!q> loc("x")
  %c = compass.convolution(%x) {compass.tops = ["c"], num_output = 4 : i64, group = 2 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense<"0x0102030405060708"> : tensor<4x1x1x2xi8>, biases = dense<[10, 20, 30, 40]> : tensor<4xi32>, scale = dense<[5, 6, 7, 8]> : tensor<4xui8>, shift = dense<[1, 2, 3, 4]> : tensor<4xi8>} : (tensor<1x2x3x4x!q>) -> tensor<1x2x3x4x!q> loc("c")
  %y = compass.channel_shuffle(%c) {compass.tops = ["y"], group = 2 : i64} : (tensor<1x2x3x4x!q>) -> tensor<1x2x3x4x!q> loc("y")
  return %y : tensor<1x2x3x4x!q>
}
