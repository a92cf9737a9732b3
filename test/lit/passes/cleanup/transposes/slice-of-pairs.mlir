// The second of each pair of channels is every second channel.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(sink-transposes))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[S:.*]] = compass.slice(%{{.*}}begin = array<i64: 0, 0, 1>, {{.*}}strides = array<i64: 1, 1, 2>{{.*}}-> tensor<4x5x3xf32>
// CHECK: compass.reshape(%[[S]]) {compass.tops = ["y"]{{.*}}-> tensor<4x5x3x1xf32>
func.func @main() -> tensor<4x5x3x1xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<4x5x6xf32> loc("x")
  %r = compass.reshape(%x) {compass.tops = ["r"], shape = array<i64: 4, 5, 3, 2>} : (tensor<4x5x6xf32>) -> tensor<4x5x3x2xf32> loc("r")
  %y = compass.slice(%r) {compass.tops = ["y"], begin = array<i64: 0, 0, 0, 1>, end = array<i64: 4, 5, 3, 2>, strides = array<i64: 1, 1, 1, 1>} : (tensor<4x5x3x2xf32>) -> tensor<4x5x3x1xf32> loc("y")
  return %y : tensor<4x5x3x1xf32>
}
