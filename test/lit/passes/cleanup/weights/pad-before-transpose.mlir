// A border in another order of axes.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fold-into-weights))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[X:.*]] = compass.input
// CHECK: %[[T:.*]] = compass.transpose(%[[X]]){{.*}}-> tensor<1x4x4x1xf32>
// CHECK-NOT: compass.pad(
// CHECK: compass.pooling(%[[T]])
// CHECK-SAME: pad_left = 1 : i64, pad_right = 2 : i64}
func.func @main() -> tensor<1x4x7x1xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x1x4x4xf32> loc("x")
  %p = compass.pad(%x) {compass.tops = ["p"], mode = "CONSTANT", pads = [array<i64: 0, 0>, array<i64: 0, 0>, array<i64: 0, 0>, array<i64: 1, 2>]} : (tensor<1x1x4x4xf32>) -> tensor<1x1x4x7xf32> loc("p")
  %t = compass.transpose(%p) {compass.tops = ["t"], perm = array<i64: 0, 2, 3, 1>} : (tensor<1x1x4x7xf32>) -> tensor<1x4x7x1xf32> loc("t")
  %y = compass.pooling(%t) {compass.tops = ["y"], method = "L1", kernel_x = 1 : i64, kernel_y = 1 : i64} : (tensor<1x4x7x1xf32>) -> tensor<1x4x7x1xf32> loc("y")
  return %y : tensor<1x4x7x1xf32>
}
