// The same in NCHW, by rows and columns one after the other: the image is what is
// transposed, and padding counts in its pixels.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fold-into-weights))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[X:.*]] = compass.input
// CHECK: %[[T:.*]] = compass.transpose(%[[X]]){{.*}}-> tensor<1x8x8x1xf32>
// CHECK: compass.convolution(%[[T]])
// CHECK-SAME: kernel_x = 6 : i64, kernel_y = 6 : i64
// CHECK-SAME: pad_bottom = 2 : i64, pad_left = 2 : i64, pad_right = 2 : i64, pad_top = 2 : i64
func.func @main() -> tensor<1x4x4x1xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x1x8x8xf32> loc("x")
  %c0 = compass.slice(%x) {compass.tops = ["c0"], begin = array<i64: 0, 0, 0, 0>, end = array<i64: 1, 1, 8, 8>, strides = array<i64: 1, 1, 1, 2>} : (tensor<1x1x8x8xf32>) -> tensor<1x1x8x4xf32> loc("c0")
  %s00 = compass.slice(%c0) {compass.tops = ["s00"], begin = array<i64: 0, 0, 0, 0>, end = array<i64: 1, 1, 8, 4>, strides = array<i64: 1, 1, 2, 1>} : (tensor<1x1x8x4xf32>) -> tensor<1x1x4x4xf32> loc("s00")
  %s01 = compass.slice(%c0) {compass.tops = ["s01"], begin = array<i64: 0, 0, 1, 0>, end = array<i64: 1, 1, 8, 4>, strides = array<i64: 1, 1, 2, 1>} : (tensor<1x1x8x4xf32>) -> tensor<1x1x4x4xf32> loc("s01")
  %c1 = compass.slice(%x) {compass.tops = ["c1"], begin = array<i64: 0, 0, 0, 1>, end = array<i64: 1, 1, 8, 8>, strides = array<i64: 1, 1, 1, 2>} : (tensor<1x1x8x8xf32>) -> tensor<1x1x8x4xf32> loc("c1")
  %s10 = compass.slice(%c1) {compass.tops = ["s10"], begin = array<i64: 0, 0, 0, 0>, end = array<i64: 1, 1, 8, 4>, strides = array<i64: 1, 1, 2, 1>} : (tensor<1x1x8x4xf32>) -> tensor<1x1x4x4xf32> loc("s10")
  %s11 = compass.slice(%c1) {compass.tops = ["s11"], begin = array<i64: 0, 0, 1, 0>, end = array<i64: 1, 1, 8, 4>, strides = array<i64: 1, 1, 2, 1>} : (tensor<1x1x8x4xf32>) -> tensor<1x1x4x4xf32> loc("s11")
  %k = compass.concat(%s00, %s01, %s10, %s11) {compass.tops = ["k"], axis = 1 : i64} : (tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>) -> tensor<1x4x4x4xf32> loc("k")
  %t = compass.transpose(%k) {compass.tops = ["t"], perm = array<i64: 0, 2, 3, 1>} : (tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32> loc("t")
  %y = compass.convolution(%t) {compass.tops = ["y"], num_output = 1 : i64, kernel_x = 3 : i64, kernel_y = 3 : i64, pad_top = 1 : i64, pad_bottom = 1 : i64, pad_left = 1 : i64, pad_right = 1 : i64, weights = dense<"0x0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F00000040"> : tensor<1x3x3x4xf32>, biases = dense<0.0> : tensor<1xf32>} : (tensor<1x4x4x4xf32>) -> tensor<1x4x4x1xf32> loc("y")
  return %y : tensor<1x4x4x1xf32>
}
