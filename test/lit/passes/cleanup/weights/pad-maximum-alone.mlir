// A window of nothing but border has the border's value, which padding has not: the border stays.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fold-into-weights))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[P:.*]] = compass.pad(
// CHECK: compass.pooling(%[[P]])
func.func @main() -> tensor<1x6x6x1xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x4x1xf32> loc("x")
  %a = compass.activation(%x) {compass.tops = ["a"], method = "RELU"} : (tensor<1x4x4x1xf32>) -> tensor<1x4x4x1xf32> loc("a")
  %p = compass.pad(%a) {compass.tops = ["p"], mode = "CONSTANT", pads = [array<i64: 0, 0>, array<i64: 1, 1>, array<i64: 1, 1>, array<i64: 0, 0>]} : (tensor<1x4x4x1xf32>) -> tensor<1x6x6x1xf32> loc("p")
  %y = compass.pooling(%p) {compass.tops = ["y"], method = "MAX", kernel_x = 1 : i64, kernel_y = 1 : i64} : (tensor<1x6x6x1xf32>) -> tensor<1x6x6x1xf32> loc("y")
  return %y : tensor<1x6x6x1xf32>
}
