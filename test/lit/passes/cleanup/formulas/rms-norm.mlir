// Without the mean it is an RMSNorm.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fuse-formulas))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[X:.*]] = compass.input
// CHECK-NOT: compass.{{reduce|sqrt|div|rsqrt|eltwise}}
// CHECK: compass.rms_norm(%[[X]]) {axis = array<i64: 2>
func.func @main() -> tensor<1x3x4xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x3x4xf32> loc("x")
  %e = compass.constant() {compass.tops = ["e"], weights = dense<[1.000000e-05]> : tensor<1xf32>} : () -> tensor<1xf32> loc("e")
  %s = compass.square(%x) {compass.tops = ["s"]} : (tensor<1x3x4xf32>) -> tensor<1x3x4xf32> loc("s")
  %v = compass.reduce(%s) {compass.tops = ["v"], method = "MEAN", axis = array<i64: 2>} : (tensor<1x3x4xf32>) -> tensor<1x3x1xf32> loc("v")
  %w = compass.eltwise(%v, %e) {compass.tops = ["w"], method = "ADD"} : (tensor<1x3x1xf32>, tensor<1xf32>) -> tensor<1x3x1xf32> loc("w")
  %r = compass.sqrt(%w) {compass.tops = ["r"]} : (tensor<1x3x1xf32>) -> tensor<1x3x1xf32> loc("r")
  %y = compass.div(%x, %r) {compass.tops = ["y"]} : (tensor<1x3x4xf32>, tensor<1x3x1xf32>) -> tensor<1x3x4xf32> loc("y")
  return %y : tensor<1x3x4xf32>
}
