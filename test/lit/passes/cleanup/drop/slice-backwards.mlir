// A slice that runs backwards keeps the shape and reverses the order: it stays.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(drop-identities))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[I:.*]] = compass.slice
// CHECK: compass.activation(%[[I]])
func.func @main() -> tensor<1x4x4x2xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x4x2xf32> loc("x")
  %i = compass.slice(%x) {compass.tops = ["i"], begin = array<i64: 0, 0, -1, 0>, end = array<i64: 1, 4, -5, 2>, strides = array<i64: 1, 1, -1, 1>} : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32> loc("i")
  %y = compass.activation(%i) {compass.tops = ["y"], method = "RELU"} : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32> loc("y")
  return %y : tensor<1x4x4x2xf32>
}
