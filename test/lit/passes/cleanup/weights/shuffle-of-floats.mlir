// The sums of floats have an order: their shuffle stays.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fold-into-weights))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[X:.*]] = compass.input
// CHECK: %[[S:.*]] = compass.channel_shuffle(%[[X]])
// CHECK: compass.convolution(%[[S]])
func.func @main() -> tensor<1x2x3x1xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x2x3x4xf32> loc("x")
  %s = compass.channel_shuffle(%x) {compass.tops = ["s"], group = 2 : i64} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> loc("s")
  %y = compass.convolution(%s) {compass.tops = ["y"], num_output = 1 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense<[[[[1.0, 2.0, 3.0, 4.0]]]]> : tensor<1x1x1x4xf32>, biases = dense<1.0> : tensor<1xf32>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x1xf32> loc("y")
  return %y : tensor<1x2x3x1xf32>
}
