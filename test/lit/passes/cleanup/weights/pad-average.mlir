// The cells of a border count in the divisor of an average, so those of the padding do.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fold-into-weights))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[X:.*]] = compass.input
// CHECK: compass.pooling(%[[X]])
// CHECK-SAME: count_include_pad = true
// CHECK-SAME: pad_bottom = 1 : i64, pad_left = 1 : i64, pad_right = 1 : i64, pad_top = 1 : i64
func.func @main() -> tensor<1x4x4x1xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x4x1xf32> loc("x")
  %p = compass.pad(%x) {compass.tops = ["p"], mode = "CONSTANT", pads = [array<i64: 0, 0>, array<i64: 1, 1>, array<i64: 1, 1>, array<i64: 0, 0>]} : (tensor<1x4x4x1xf32>) -> tensor<1x6x6x1xf32> loc("p")
  %y = compass.pooling(%p) {compass.tops = ["y"], method = "AVG", kernel_x = 3 : i64, kernel_y = 3 : i64} : (tensor<1x6x6x1xf32>) -> tensor<1x4x4x1xf32> loc("y")
  return %y : tensor<1x4x4x1xf32>
}
