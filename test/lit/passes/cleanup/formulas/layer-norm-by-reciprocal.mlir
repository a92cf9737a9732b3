// The same by an inverse root and a power.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fuse-formulas))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[X:.*]] = compass.input
// CHECK-NOT: compass.{{reduce|sqrt|div|rsqrt|eltwise}}
// CHECK: compass.layer_norm(%[[X]])
func.func @main() -> tensor<1x3x4xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x3x4xf32> loc("x")
  %e = compass.constant() {compass.tops = ["e"], weights = dense<[1.000000e-05]> : tensor<1xf32>} : () -> tensor<1xf32> loc("e")
  %m = compass.reduce(%x) {compass.tops = ["m"], method = "MEAN", axis = array<i64: 2>} : (tensor<1x3x4xf32>) -> tensor<1x3x1xf32> loc("m")
  %d = compass.eltwise(%x, %m) {compass.tops = ["d"], method = "SUB"} : (tensor<1x3x4xf32>, tensor<1x3x1xf32>) -> tensor<1x3x4xf32> loc("d")
  %two = compass.constant() {compass.tops = ["two"], weights = dense<[2.0]> : tensor<1xf32>} : () -> tensor<1xf32> loc("two")
  %s = compass.pow(%d, %two) {compass.tops = ["s"]} : (tensor<1x3x4xf32>, tensor<1xf32>) -> tensor<1x3x4xf32> loc("s")
  %v = compass.reduce(%s) {compass.tops = ["v"], method = "MEAN", axis = array<i64: 2>} : (tensor<1x3x4xf32>) -> tensor<1x3x1xf32> loc("v")
  %w = compass.eltwise(%v, %e) {compass.tops = ["w"], method = "ADD"} : (tensor<1x3x1xf32>, tensor<1xf32>) -> tensor<1x3x1xf32> loc("w")
  %r = compass.rsqrt(%w) {compass.tops = ["r"]} : (tensor<1x3x1xf32>) -> tensor<1x3x1xf32> loc("r")
  %y = compass.eltwise(%r, %d) {compass.tops = ["y"], method = "MUL"} : (tensor<1x3x1xf32>, tensor<1x3x4xf32>) -> tensor<1x3x4xf32> loc("y")
  return %y : tensor<1x3x4xf32>
}
