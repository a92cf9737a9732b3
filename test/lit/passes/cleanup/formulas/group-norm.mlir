// Of groups of channels it is a GroupNorm.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fuse-formulas))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[X:.*]] = compass.input
// CHECK-NOT: compass.{{reduce|sqrt|div|rsqrt|eltwise}}
// CHECK: %[[T:.*]] = compass.transpose(%[[X]])
// CHECK: compass.group_norm(%[[T]]){{.*}}group = 2 : i64
func.func @main() -> tensor<1x4x2x3xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x2x3xf32> loc("x")
  %e = compass.constant() {compass.tops = ["e"], weights = dense<[1.000000e-05]> : tensor<1xf32>} : () -> tensor<1xf32> loc("e")
  %a = compass.reshape(%x) {compass.tops = ["a"], shape = array<i64: 1, 2, 12>} : (tensor<1x4x2x3xf32>) -> tensor<1x2x12xf32> loc("a")
  %m = compass.reduce(%a) {compass.tops = ["m"], method = "MEAN", axis = array<i64: 2>} : (tensor<1x2x12xf32>) -> tensor<1x2x1xf32> loc("m")
  %d = compass.eltwise(%a, %m) {compass.tops = ["d"], method = "SUB"} : (tensor<1x2x12xf32>, tensor<1x2x1xf32>) -> tensor<1x2x12xf32> loc("d")
  %s = compass.eltwise(%d, %d) {compass.tops = ["s"], method = "MUL"} : (tensor<1x2x12xf32>, tensor<1x2x12xf32>) -> tensor<1x2x12xf32> loc("s")
  %v = compass.reduce(%s) {compass.tops = ["v"], method = "MEAN", axis = array<i64: 2>} : (tensor<1x2x12xf32>) -> tensor<1x2x1xf32> loc("v")
  %w = compass.eltwise(%v, %e) {compass.tops = ["w"], method = "ADD"} : (tensor<1x2x1xf32>, tensor<1xf32>) -> tensor<1x2x1xf32> loc("w")
  %r = compass.sqrt(%w) {compass.tops = ["r"]} : (tensor<1x2x1xf32>) -> tensor<1x2x1xf32> loc("r")
  %n = compass.div(%d, %r) {compass.tops = ["n"]} : (tensor<1x2x12xf32>, tensor<1x2x1xf32>) -> tensor<1x2x12xf32> loc("n")
  %y = compass.reshape(%n) {compass.tops = ["y"], shape = array<i64: 1, 4, 2, 3>} : (tensor<1x2x12xf32>) -> tensor<1x4x2x3xf32> loc("y")
  return %y : tensor<1x4x2x3xf32>
}
