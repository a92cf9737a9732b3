// A transpose of a square keeps the type and moves the values: it stays.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(drop-identities))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[I:.*]] = compass.transpose
// CHECK: compass.activation(%[[I]])
func.func @main() -> tensor<1x4x4x2xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x4x2xf32> loc("x")
  %i = compass.transpose(%x) {compass.tops = ["i"], perm = array<i64: 0, 2, 1, 3>} : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32> loc("i")
  %y = compass.activation(%i) {compass.tops = ["y"], method = "RELU"} : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32> loc("y")
  return %y : tensor<1x4x4x2xf32>
}
