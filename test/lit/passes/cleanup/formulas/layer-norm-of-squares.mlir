// A variance as the mean of squares less the square of the mean, not below 0,
// means as sums times a number, and the factor on the root: as JAX writes it.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fuse-formulas))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[X:.*]] = compass.input
// CHECK-NOT: compass.{{reduce|square|rsqrt}}
// CHECK: %[[N:.*]] = compass.layer_norm(%[[X]])
// CHECK-SAME: epsilon = 9.99{{.*}}E-7
// CHECK: compass.eltwise(%[[N]], %{{.*}}) {{.*}}"MUL"
func.func @main() -> tensor<1x3x4xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x3x4xf32> loc("x")
  %e = compass.constant() {compass.tops = ["e"], weights = dense<[1.000000e-06]> : tensor<1xf32>} : () -> tensor<1xf32> loc("e")
  %q = compass.constant() {compass.tops = ["q"], weights = dense<[0.25]> : tensor<1xf32>} : () -> tensor<1xf32> loc("q")
  %o = compass.constant() {compass.tops = ["o"], weights = dense<[0.0]> : tensor<1xf32>} : () -> tensor<1xf32> loc("o")
  %g = compass.constant() {compass.tops = ["g"], weights = dense<[[[1.0, 2.0, 3.0, 4.0]]]> : tensor<1x1x4xf32>} : () -> tensor<1x1x4xf32> loc("g")
  %t = compass.reduce(%x) {compass.tops = ["t"], method = "SUM", axis = array<i64: 2>} : (tensor<1x3x4xf32>) -> tensor<1x3x1xf32> loc("t")
  %m = compass.eltwise(%t, %q) {compass.tops = ["m"], method = "MUL"} : (tensor<1x3x1xf32>, tensor<1xf32>) -> tensor<1x3x1xf32> loc("m")
  %s = compass.square(%x) {compass.tops = ["s"]} : (tensor<1x3x4xf32>) -> tensor<1x3x4xf32> loc("s")
  %u = compass.reduce(%s) {compass.tops = ["u"], method = "SUM", axis = array<i64: 2>} : (tensor<1x3x4xf32>) -> tensor<1x3x1xf32> loc("u")
  %v = compass.eltwise(%u, %q) {compass.tops = ["v"], method = "MUL"} : (tensor<1x3x1xf32>, tensor<1xf32>) -> tensor<1x3x1xf32> loc("v")
  %n = compass.square(%m) {compass.tops = ["n"]} : (tensor<1x3x1xf32>) -> tensor<1x3x1xf32> loc("n")
  %d = compass.eltwise(%v, %n) {compass.tops = ["d"], method = "SUB"} : (tensor<1x3x1xf32>, tensor<1x3x1xf32>) -> tensor<1x3x1xf32> loc("d")
  %p = compass.eltwise(%o, %d) {compass.tops = ["p"], method = "MAX"} : (tensor<1xf32>, tensor<1x3x1xf32>) -> tensor<1x3x1xf32> loc("p")
  %w = compass.eltwise(%p, %e) {compass.tops = ["w"], method = "ADD"} : (tensor<1x3x1xf32>, tensor<1xf32>) -> tensor<1x3x1xf32> loc("w")
  %r = compass.rsqrt(%w) {compass.tops = ["r"]} : (tensor<1x3x1xf32>) -> tensor<1x3x1xf32> loc("r")
  %f = compass.eltwise(%r, %g) {compass.tops = ["f"], method = "MUL"} : (tensor<1x3x1xf32>, tensor<1x1x4xf32>) -> tensor<1x3x4xf32> loc("f")
  %c = compass.eltwise(%x, %m) {compass.tops = ["c"], method = "SUB"} : (tensor<1x3x4xf32>, tensor<1x3x1xf32>) -> tensor<1x3x4xf32> loc("c")
  %y = compass.eltwise(%c, %f) {compass.tops = ["y"], method = "MUL"} : (tensor<1x3x4xf32>, tensor<1x3x4xf32>) -> tensor<1x3x4xf32> loc("y")
  return %y : tensor<1x3x4xf32>
}
