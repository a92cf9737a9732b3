// A square that is not that of the mean, and a sum by another number than that
// of its values: no norm.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fuse-formulas))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK-NOT: _norm(
// CHECK: compass.rsqrt(
func.func @main() -> tensor<1x4xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4xf32> loc("x")
  %e = compass.constant() {compass.tops = ["e"], weights = dense<[1.000000e-05]> : tensor<1xf32>} : () -> tensor<1xf32> loc("e")
  %q = compass.constant() {compass.tops = ["q"], weights = dense<[0.5]> : tensor<1xf32>} : () -> tensor<1xf32> loc("q")
  %t = compass.reduce(%x) {compass.tops = ["t"], method = "SUM", axis = array<i64: 1>} : (tensor<1x4xf32>) -> tensor<1x1xf32> loc("t")
  %m = compass.eltwise(%t, %q) {compass.tops = ["m"], method = "MUL"} : (tensor<1x1xf32>, tensor<1xf32>) -> tensor<1x1xf32> loc("m")
  %s = compass.square(%x) {compass.tops = ["s"]} : (tensor<1x4xf32>) -> tensor<1x4xf32> loc("s")
  %v = compass.reduce(%s) {compass.tops = ["v"], method = "MEAN", axis = array<i64: 1>} : (tensor<1x4xf32>) -> tensor<1x1xf32> loc("v")
  %n = compass.square(%m) {compass.tops = ["n"]} : (tensor<1x1xf32>) -> tensor<1x1xf32> loc("n")
  %d = compass.eltwise(%v, %n) {compass.tops = ["d"], method = "SUB"} : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32> loc("d")
  %w = compass.eltwise(%d, %e) {compass.tops = ["w"], method = "ADD"} : (tensor<1x1xf32>, tensor<1xf32>) -> tensor<1x1xf32> loc("w")
  %r = compass.rsqrt(%w) {compass.tops = ["r"]} : (tensor<1x1xf32>) -> tensor<1x1xf32> loc("r")
  %c = compass.eltwise(%x, %m) {compass.tops = ["c"], method = "SUB"} : (tensor<1x4xf32>, tensor<1x1xf32>) -> tensor<1x4xf32> loc("c")
  %y = compass.eltwise(%c, %r) {compass.tops = ["y"], method = "MUL"} : (tensor<1x4xf32>, tensor<1x1xf32>) -> tensor<1x4xf32> loc("y")
  return %y : tensor<1x4xf32>
}
