// With a mean of another scale: no norm.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fuse-formulas))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK-NOT: _norm(
// CHECK: return
func.func @main() -> tensor<1x2x2x3xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x2x2x3xf32> loc("x")
  %e = compass.constant() {compass.tops = ["e"], weights = dense<[1.000000e-03]> : tensor<1xf32>} : () -> tensor<1xf32> loc("e")
  %g = compass.constant() {compass.tops = ["g"], weights = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>} : () -> tensor<3xf32> loc("g")
  %b = compass.constant() {compass.tops = ["b"], weights = dense<[4.0, 5.0, 6.0]> : tensor<3xf32>} : () -> tensor<3xf32> loc("b")
  %m = compass.reduce(%x) {compass.tops = ["m"], method = "MEAN", axis = array<i64: 1, 2>} : (tensor<1x2x2x3xf32>) -> tensor<1x1x1x3xf32> loc("m")
  %q = compass.squared_difference(%x, %m) {compass.tops = ["q"]} : (tensor<1x2x2x3xf32>, tensor<1x1x1x3xf32>) -> tensor<1x2x2x3xf32> loc("q")
  %v = compass.reduce(%q) {compass.tops = ["v"], method = "MEAN", axis = array<i64: 1, 2>} : (tensor<1x2x2x3xf32>) -> tensor<1x1x1x3xf32> loc("v")
  %w = compass.eltwise(%v, %e) {compass.tops = ["w"], method = "ADD"} : (tensor<1x1x1x3xf32>, tensor<1xf32>) -> tensor<1x1x1x3xf32> loc("w")
  %r = compass.rsqrt(%w) {compass.tops = ["r"]} : (tensor<1x1x1x3xf32>) -> tensor<1x1x1x3xf32> loc("r")
  %s = compass.eltwise(%r, %g) {compass.tops = ["s"], method = "MUL"} : (tensor<1x1x1x3xf32>, tensor<3xf32>) -> tensor<1x1x1x3xf32> loc("s")
  %xs = compass.eltwise(%x, %s) {compass.tops = ["xs"], method = "MUL"} : (tensor<1x2x2x3xf32>, tensor<1x1x1x3xf32>) -> tensor<1x2x2x3xf32> loc("xs")
  %ms = compass.eltwise(%m, %r) {compass.tops = ["ms"], method = "MUL"} : (tensor<1x1x1x3xf32>, tensor<1x1x1x3xf32>) -> tensor<1x1x1x3xf32> loc("ms")
  %o = compass.eltwise(%b, %ms) {compass.tops = ["o"], method = "SUB"} : (tensor<3xf32>, tensor<1x1x1x3xf32>) -> tensor<1x1x1x3xf32> loc("o")
  %y = compass.eltwise(%xs, %o) {compass.tops = ["y"], method = "ADD"} : (tensor<1x2x2x3xf32>, tensor<1x1x1x3xf32>) -> tensor<1x2x2x3xf32> loc("y")
  return %y : tensor<1x2x2x3xf32>
}
