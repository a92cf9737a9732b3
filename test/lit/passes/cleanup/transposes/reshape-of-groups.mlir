// A reshape that joins rows and columns, and leaves the channels alone.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(sink-transposes))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[R:.*]] = compass.reshape{{.*}}-> tensor<1x20x3xf32>
// CHECK: compass.transpose(%[[R]]) {compass.tops = ["y"], perm = array<i64: 0, 2, 1>}
func.func @main() -> tensor<1x3x20xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x5x3xf32> loc("x")
  %a = compass.transpose(%x) {compass.tops = ["a"], perm = array<i64: 0, 3, 1, 2>} : (tensor<1x4x5x3xf32>) -> tensor<1x3x4x5xf32> loc("a")
  %y = compass.reshape(%a) {compass.tops = ["y"], shape = array<i64: 1, 3, 20>} : (tensor<1x3x4x5xf32>) -> tensor<1x3x20xf32> loc("y")
  return %y : tensor<1x3x20xf32>
}
