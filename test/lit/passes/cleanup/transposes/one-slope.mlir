// A PRELU with one slope is as good as elementwise.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(sink-transposes))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[A:.*]] = compass.activation
// CHECK: compass.transpose(%[[A]])
func.func @main() -> tensor<1x3x4x5xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x5x3xf32> loc("x")
  %t = compass.transpose(%x) {compass.tops = ["t"], perm = array<i64: 0, 3, 1, 2>} : (tensor<1x4x5x3xf32>) -> tensor<1x3x4x5xf32> loc("t")
  %y = compass.activation(%t) {compass.tops = ["y"], method = "PRELU", negative_slope = dense<2.500000e-01> : tensor<1xf32>} : (tensor<1x3x4x5xf32>) -> tensor<1x3x4x5xf32> loc("y")
  return %y : tensor<1x3x4x5xf32>
}
