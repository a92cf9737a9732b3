// A border of zeros never wins against the results of RELU: it becomes the padding of the maximum.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fold-into-weights))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[A:.*]] = compass.activation(
// CHECK-NOT: compass.pad(
// CHECK: compass.pooling(%[[A]])
// CHECK-SAME: pad_bottom = 1 : i64, pad_left = 1 : i64, pad_right = 1 : i64, pad_top = 1 : i64
func.func @main() -> tensor<1x2x2x1xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x4x1xf32> loc("x")
  %a = compass.activation(%x) {compass.tops = ["a"], method = "RELU"} : (tensor<1x4x4x1xf32>) -> tensor<1x4x4x1xf32> loc("a")
  %p = compass.pad(%a) {compass.tops = ["p"], mode = "CONSTANT", pads = [array<i64: 0, 0>, array<i64: 1, 1>, array<i64: 1, 1>, array<i64: 0, 0>]} : (tensor<1x4x4x1xf32>) -> tensor<1x6x6x1xf32> loc("p")
  %y = compass.pooling(%p) {compass.tops = ["y"], method = "MAX", kernel_x = 3 : i64, kernel_y = 3 : i64, stride_x = 2 : i64, stride_y = 2 : i64} : (tensor<1x6x6x1xf32>) -> tensor<1x2x2x1xf32> loc("y")
  return %y : tensor<1x2x2x1xf32>
}
