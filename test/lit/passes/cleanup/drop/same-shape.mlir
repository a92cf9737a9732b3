// Layers whose result may have the shape of what they reorder stay.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(drop-identities))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: compass.channel_shuffle
// CHECK: compass.data_stride
// CHECK: return
func.func @main() -> tensor<1x6x1x4xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x6x1x4xf32> loc("x")
  %i = compass.channel_shuffle(%x) {compass.tops = ["i"], group = 2 : i64, splits = 1 : i64} : (tensor<1x6x1x4xf32>) -> tensor<1x6x1x4xf32> loc("i")
  %j = compass.data_stride(%i) {compass.tops = ["j"], kernel_y = 3 : i64, stride_y = 2 : i64} : (tensor<1x6x1x4xf32>) -> tensor<1x6x1x4xf32> loc("j")
  %y = compass.activation(%j) {compass.tops = ["y"], method = "RELU"} : (tensor<1x6x1x4xf32>) -> tensor<1x6x1x4xf32> loc("y")
  return %y : tensor<1x6x1x4xf32>
}
