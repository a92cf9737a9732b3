// A split into one part is a copy: it goes.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(drop-identities))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[X:.*]] = compass.input
// CHECK-NOT: compass.split
// CHECK: compass.activation(%[[X]])
func.func @main() -> tensor<1x4x4x2xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x4x2xf32> loc("x")
  %i = compass.split(%x) {compass.tops = ["i"], axis = 3 : i64, splits = array<i64: 2>} : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32> loc("i")
  %y = compass.activation(%i) {compass.tops = ["y"], method = "RELU"} : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32> loc("y")
  return %y : tensor<1x4x4x2xf32>
}
