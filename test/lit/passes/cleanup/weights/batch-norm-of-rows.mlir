// BatchNorm along rows is no factor of an output channel: it stays.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fold-into-weights))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: compass.convolution
// CHECK: compass.batch_norm
func.func @main() -> tensor<1x2x2x2xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x2x2x1xf32> loc("x")
  %c = compass.convolution(%x) {compass.tops = ["c"], num_output = 2 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense<"0x0000803F00000040"> : tensor<2x1x1x1xf32>, biases = dense<[1.0, 2.0]> : tensor<2xf32>} : (tensor<1x2x2x1xf32>) -> tensor<1x2x2x2xf32> loc("c")
  %n = compass.batch_norm(%c) {compass.tops = ["n"], axis = 1 : i64, weights = dense<[2.0, 3.0]> : tensor<2xf32>, biases = dense<[1.0, 5.0]> : tensor<2xf32>} : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32> loc("n")
  return %n : tensor<1x2x2x2xf32>
}
