// A float times 0 is not always 0: the slice stays.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fold-into-weights))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[S:.*]] = compass.slice
// CHECK: compass.convolution(%[[S]])
func.func @main() -> tensor<1x2x3x1xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x2x3x4xf32> loc("x")
  %s = compass.slice(%x) {compass.tops = ["s"], begin = array<i64: 0, 0, 0, 1>, end = array<i64: 1, 2, 3, 4>, strides = array<i64: 1, 1, 1, 2>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x2xf32> loc("s")
  %y = compass.convolution(%s) {compass.tops = ["y"], num_output = 1 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense<"0x0000803F00000040"> : tensor<1x1x1x2xf32>, biases = dense<1.0> : tensor<1xf32>} : (tensor<1x2x3x2xf32>) -> tensor<1x2x3x1xf32> loc("y")
  return %y : tensor<1x2x3x1xf32>
}
