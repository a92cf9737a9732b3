// An activation inside the formula is no part of a norm.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fuse-formulas))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK-NOT: _norm(
// CHECK: compass.div(
func.func @main() -> tensor<1x4xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4xf32> loc("x")
  %e = compass.constant() {compass.tops = ["e"], weights = dense<[1.000000e-05]> : tensor<1xf32>} : () -> tensor<1xf32> loc("e")
  %s = compass.eltwise(%x, %x) {compass.tops = ["s"], method = "MUL"} : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32> loc("s")
  %v = compass.reduce(%s) {compass.tops = ["v"], method = "MEAN", axis = array<i64: 1>} : (tensor<1x4xf32>) -> tensor<1x1xf32> loc("v")
  %w = compass.eltwise(%v, %e) {compass.tops = ["w"], method = "ADD", with_activation = "RELU6"} : (tensor<1x1xf32>, tensor<1xf32>) -> tensor<1x1xf32> loc("w")
  %r = compass.sqrt(%w) {compass.tops = ["r"]} : (tensor<1x1xf32>) -> tensor<1x1xf32> loc("r")
  %y = compass.div(%x, %r) {compass.tops = ["y"]} : (tensor<1x4xf32>, tensor<1x1xf32>) -> tensor<1x4xf32> loc("y")
  return %y : tensor<1x4xf32>
}
