// A transpose moves behind a layer that takes every value for itself.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(sink-transposes))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[X:.*]] = compass.input
// CHECK: %[[A:.*]] = compass.activation(%[[X]]){{.*}}-> tensor<1x4x5x3xf32>
// CHECK: %[[Y:.*]] = compass.transpose(%[[A]]) {compass.tops = ["y"], perm = array<i64: 0, 3, 1, 2>}
// CHECK: return %[[Y]]
func.func @main() -> tensor<1x3x4x5xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x5x3xf32> loc("x")
  %t = compass.transpose(%x) {compass.tops = ["t"], perm = array<i64: 0, 3, 1, 2>} : (tensor<1x4x5x3xf32>) -> tensor<1x3x4x5xf32> loc("t")
  %y = compass.activation(%t) {compass.tops = ["y"], method = "RELU"} : (tensor<1x3x4x5xf32>) -> tensor<1x3x4x5xf32> loc("y")
  return %y : tensor<1x3x4x5xf32>
}
