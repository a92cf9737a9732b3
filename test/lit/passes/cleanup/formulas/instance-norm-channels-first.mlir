// Channels that come first are moved behind, and back.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fuse-formulas))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[X:.*]] = compass.input
// CHECK-NOT: compass.{{reduce|sqrt|div|rsqrt|eltwise}}
// CHECK: %[[T:.*]] = compass.transpose(%[[X]]){{.*}}perm = array<i64: 0, 2, 3, 1>
// CHECK: %[[Y:.*]] = compass.instance_norm(%[[T]]){{.*}}tensor<2x4x5x3xf32>
// CHECK: compass.transpose(%[[Y]]) {compass.tops = ["y"], perm = array<i64: 0, 3, 1, 2>}
func.func @main() -> tensor<2x3x4x5xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<2x3x4x5xf32> loc("x")
  %e = compass.constant() {compass.tops = ["e"], weights = dense<[1.000000e-05]> : tensor<1xf32>} : () -> tensor<1xf32> loc("e")
  %m = compass.reduce(%x) {compass.tops = ["m"], method = "MEAN", axis = array<i64: 2, 3>} : (tensor<2x3x4x5xf32>) -> tensor<2x3x1x1xf32> loc("m")
  %d = compass.eltwise(%x, %m) {compass.tops = ["d"], method = "SUB"} : (tensor<2x3x4x5xf32>, tensor<2x3x1x1xf32>) -> tensor<2x3x4x5xf32> loc("d")
  %s = compass.eltwise(%d, %d) {compass.tops = ["s"], method = "MUL"} : (tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32> loc("s")
  %v = compass.reduce(%s) {compass.tops = ["v"], method = "MEAN", axis = array<i64: 2, 3>} : (tensor<2x3x4x5xf32>) -> tensor<2x3x1x1xf32> loc("v")
  %w = compass.eltwise(%v, %e) {compass.tops = ["w"], method = "ADD"} : (tensor<2x3x1x1xf32>, tensor<1xf32>) -> tensor<2x3x1x1xf32> loc("w")
  %r = compass.sqrt(%w) {compass.tops = ["r"]} : (tensor<2x3x1x1xf32>) -> tensor<2x3x1x1xf32> loc("r")
  %y = compass.div(%d, %r) {compass.tops = ["y"]} : (tensor<2x3x4x5xf32>, tensor<2x3x1x1xf32>) -> tensor<2x3x4x5xf32> loc("y")
  return %y : tensor<2x3x4x5xf32>
}
