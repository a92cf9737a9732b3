// Every second row and column from 2 x 2 places, one after the other along the
// channels, for a convolution: one convolution of the whole image.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fold-into-weights))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[X:.*]] = compass.input
// CHECK-NOT: compass.concat
// CHECK: compass.convolution(%[[X]])
// CHECK-SAME: kernel_x = 2 : i64, kernel_y = 2 : i64
// CHECK-SAME: stride_x = 2 : i64, stride_y = 2 : i64
// Weights 1 to 4 were those of (row, column) (0, 0), (1, 0), (0, 1) and (1, 1).
// CHECK: weights: "0x{{........}}01030204"
!q = !quant.uniform<i8:f32, 0.5>
!p = !quant.uniform<i8:f32, 0.25>
func.func @main() -> tensor<1x2x3x1x!q> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x6x1x!q> loc("x")
  %s0 = compass.slice(%x) {compass.tops = ["s0"], begin = array<i64: 0, 0, 0, 0>, end = array<i64: 1, 4, 6, 1>, strides = array<i64: 1, 2, 2, 1>} : (tensor<1x4x6x1x!q>) -> tensor<1x2x3x1x!q> loc("s0")
  %s1 = compass.slice(%x) {compass.tops = ["s1"], begin = array<i64: 0, 1, 0, 0>, end = array<i64: 1, 4, 6, 1>, strides = array<i64: 1, 2, 2, 1>} : (tensor<1x4x6x1x!q>) -> tensor<1x2x3x1x!q> loc("s1")
  %s2 = compass.slice(%x) {compass.tops = ["s2"], begin = array<i64: 0, 0, 1, 0>, end = array<i64: 1, 4, 6, 1>, strides = array<i64: 1, 2, 2, 1>} : (tensor<1x4x6x1x!q>) -> tensor<1x2x3x1x!q> loc("s2")
  %s3 = compass.slice(%x) {compass.tops = ["s3"], begin = array<i64: 0, 1, 1, 0>, end = array<i64: 1, 4, 6, 1>, strides = array<i64: 1, 2, 2, 1>} : (tensor<1x4x6x1x!q>) -> tensor<1x2x3x1x!q> loc("s3")
  %k = compass.concat(%s0, %s1, %s2, %s3) {compass.tops = ["k"], axis = 3 : i64} : (tensor<1x2x3x1x!q>, tensor<1x2x3x1x!q>, tensor<1x2x3x1x!q>, tensor<1x2x3x1x!q>) -> tensor<1x2x3x4x!q> loc("k")
  %y = compass.convolution(%k) {compass.tops = ["y"], num_output = 1 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense<"0x01020304"> : tensor<1x1x1x4xi8>, biases = dense<1> : tensor<1xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x2x3x4x!q>) -> tensor<1x2x3x1x!q> loc("y")
  return %y : tensor<1x2x3x1x!q>
}
