// A Concat with one value all over is a border.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fold-constants))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[X:.*]] = compass.input
// CHECK: compass.pad(%[[X]])
// CHECK-SAME: constant_value = 0.000000e+00 : f64
// CHECK-SAME: pads = [array<i64: 0, 0>, array<i64: 0, 1>]
func.func @main() -> tensor<1x4xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x3xf32> loc("x")
  %k = compass.constant() {compass.tops = ["k"], weights = dense<[[0.0]]> : tensor<1x1xf32>} : () -> tensor<1x1xf32> loc("k")
  %y = compass.concat(%x, %k) {compass.tops = ["y"], axis = 1 : i64} : (tensor<1x3xf32>, tensor<1x1xf32>) -> tensor<1x4xf32> loc("y")
  return %y : tensor<1x4xf32>
}
