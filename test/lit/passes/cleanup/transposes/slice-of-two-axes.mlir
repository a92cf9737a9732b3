// A part of two axes of the split one is no regular part of it.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(sink-transposes))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[R:.*]] = compass.reshape
// CHECK: compass.slice(%[[R]])
func.func @main() -> tensor<4x5x2x1xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<4x5x6xf32> loc("x")
  %r = compass.reshape(%x) {compass.tops = ["r"], shape = array<i64: 4, 5, 3, 2>} : (tensor<4x5x6xf32>) -> tensor<4x5x3x2xf32> loc("r")
  %y = compass.slice(%r) {compass.tops = ["y"], begin = array<i64: 0, 0, 0, 1>, end = array<i64: 4, 5, 2, 2>, strides = array<i64: 1, 1, 1, 1>} : (tensor<4x5x3x2xf32>) -> tensor<4x5x2x1xf32> loc("y")
  return %y : tensor<4x5x2x1xf32>
}
