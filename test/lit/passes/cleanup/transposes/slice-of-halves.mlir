// The second half of the channels lies side by side.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(sink-transposes))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: compass.slice(%{{.*}}begin = array<i64: 0, 0, 3>{{.*}}end = array<i64: 4, 5, 6>, strides = array<i64: 1, 1, 1>{{.*}}-> tensor<4x5x3xf32>
func.func @main() -> tensor<4x5x1x1x3xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<4x5x6xf32> loc("x")
  %r = compass.reshape(%x) {compass.tops = ["r"], shape = array<i64: 4, 5, 2, 1, 3>} : (tensor<4x5x6xf32>) -> tensor<4x5x2x1x3xf32> loc("r")
  %y = compass.slice(%r) {compass.tops = ["y"], begin = array<i64: 0, 0, 1, 0, 0>, end = array<i64: 4, 5, 2, 1, 3>, strides = array<i64: 1, 1, 1, 1, 1>} : (tensor<4x5x2x1x3xf32>) -> tensor<4x5x1x1x3xf32> loc("y")
  return %y : tensor<4x5x1x1x3xf32>
}
