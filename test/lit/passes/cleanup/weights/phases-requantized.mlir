// A Concat that gives its branches another scale does more than move them.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fold-into-weights))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: compass.concat
// CHECK: compass.convolution{{.*}}kernel_x = 1 : i64
!q = !quant.uniform<i8:f32, 0.5>
!p = !quant.uniform<i8:f32, 0.25>
func.func @main() -> tensor<1x2x3x1x!q> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x6x1x!q> loc("x")
  %s0 = compass.slice(%x) {compass.tops = ["s0"], begin = array<i64: 0, 0, 0, 0>, end = array<i64: 1, 4, 6, 1>, strides = array<i64: 1, 2, 2, 1>} : (tensor<1x4x6x1x!q>) -> tensor<1x2x3x1x!q> loc("s0")
  %s1 = compass.slice(%x) {compass.tops = ["s1"], begin = array<i64: 0, 1, 0, 0>, end = array<i64: 1, 4, 6, 1>, strides = array<i64: 1, 2, 2, 1>} : (tensor<1x4x6x1x!q>) -> tensor<1x2x3x1x!q> loc("s1")
  %s2 = compass.slice(%x) {compass.tops = ["s2"], begin = array<i64: 0, 0, 1, 0>, end = array<i64: 1, 4, 6, 1>, strides = array<i64: 1, 2, 2, 1>} : (tensor<1x4x6x1x!q>) -> tensor<1x2x3x1x!q> loc("s2")
  %s3 = compass.slice(%x) {compass.tops = ["s3"], begin = array<i64: 0, 1, 1, 0>, end = array<i64: 1, 4, 6, 1>, strides = array<i64: 1, 2, 2, 1>} : (tensor<1x4x6x1x!q>) -> tensor<1x2x3x1x!q> loc("s3")
  %k = compass.concat(%s0, %s1, %s2, %s3) {compass.tops = ["k"], axis = 3 : i64, scale_value = array<i64: 2, 2, 2, 2>, shift_value = array<i64: 0, 0, 0, 0>} : (tensor<1x2x3x1x!q>, tensor<1x2x3x1x!q>, tensor<1x2x3x1x!q>, tensor<1x2x3x1x!q>) -> tensor<1x2x3x4x!p> loc("k")
  %y = compass.convolution(%k) {compass.tops = ["y"], num_output = 1 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense<"0x01020304"> : tensor<1x1x1x4xi8>, biases = dense<1> : tensor<1xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x2x3x4x!p>) -> tensor<1x2x3x1x!q> loc("y")
  return %y : tensor<1x2x3x1x!q>
}
