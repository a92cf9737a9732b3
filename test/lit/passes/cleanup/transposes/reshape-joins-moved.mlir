// A reshape that joins axes which the transpose brings together stays behind it.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(sink-transposes))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[T:.*]] = compass.transpose
// CHECK: compass.reshape(%[[T]])
func.func @main() -> tensor<12x5xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x5x3xf32> loc("x")
  %a = compass.transpose(%x) {compass.tops = ["a"], perm = array<i64: 0, 3, 1, 2>} : (tensor<1x4x5x3xf32>) -> tensor<1x3x4x5xf32> loc("a")
  %y = compass.reshape(%a) {compass.tops = ["y"], shape = array<i64: 12, 5>} : (tensor<1x3x4x5xf32>) -> tensor<12x5xf32> loc("y")
  return %y : tensor<12x5xf32>
}
