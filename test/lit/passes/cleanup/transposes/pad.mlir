// A border changes places with the axes.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(sink-transposes))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: compass.pad{{.*}}pads = [array<i64: 0, 0>, array<i64: 3, 4>, array<i64: 5, 6>, array<i64: 1, 2>]
// CHECK: compass.transpose{{.*}}-> tensor<1x6x11x16xf32>
func.func @main() -> tensor<1x6x11x16xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x5x3xf32> loc("x")
  %t = compass.transpose(%x) {compass.tops = ["t"], perm = array<i64: 0, 3, 1, 2>} : (tensor<1x4x5x3xf32>) -> tensor<1x3x4x5xf32> loc("t")
  %y = compass.pad(%t) {compass.tops = ["y"], mode = "CONSTANT", pads = [array<i64: 0, 0>, array<i64: 1, 2>, array<i64: 3, 4>, array<i64: 5, 6>]} : (tensor<1x3x4x5xf32>) -> tensor<1x6x11x16xf32> loc("y")
  return %y : tensor<1x6x11x16xf32>
}
