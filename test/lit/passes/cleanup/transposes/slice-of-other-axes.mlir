// The reshape splits no axis where the slice takes its part.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(sink-transposes))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[R:.*]] = compass.reshape
// CHECK: compass.slice(%[[R]])
func.func @main() -> tensor<4x1x10xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<4x5x6xf32> loc("x")
  %r = compass.reshape(%x) {compass.tops = ["r"], shape = array<i64: 4, 3, 10>} : (tensor<4x5x6xf32>) -> tensor<4x3x10xf32> loc("r")
  %y = compass.slice(%r) {compass.tops = ["y"], begin = array<i64: 0, 1, 0>, end = array<i64: 4, 2, 10>, strides = array<i64: 1, 1, 1>} : (tensor<4x3x10xf32>) -> tensor<4x1x10xf32> loc("y")
  return %y : tensor<4x1x10xf32>
}
