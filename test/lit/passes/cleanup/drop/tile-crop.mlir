// One copy of everything, and a crop of nothing: they go.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(drop-identities))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[X:.*]] = compass.input
// CHECK-NOT: compass.tile
// CHECK-NOT: compass.crop
// CHECK: compass.activation(%[[X]])
func.func @main() -> tensor<4x2xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<4x2xf32> loc("x")
  %i = compass.tile(%x) {compass.tops = ["i"], repeats = array<i64: 1, 1>} : (tensor<4x2xf32>) -> tensor<4x2xf32> loc("i")
  %j = compass.crop(%i) {compass.tops = ["j"], crops = [array<i64: 0, 4>, array<i64: 0, 2>]} : (tensor<4x2xf32>) -> tensor<4x2xf32> loc("j")
  %y = compass.activation(%j) {compass.tops = ["y"], method = "RELU"} : (tensor<4x2xf32>) -> tensor<4x2xf32> loc("y")
  return %y : tensor<4x2xf32>
}
