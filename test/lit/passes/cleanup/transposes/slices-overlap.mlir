// Slices with more values than the whole would be more to transpose.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(sink-transposes))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[T:.*]] = compass.transpose
// CHECK: compass.slice(%[[T]])
// CHECK: compass.slice(%[[T]])
func.func @main() -> (tensor<1x5x4x5xf32>, tensor<1x4x4x5xf32>) {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x5x6xf32> loc("x")
  %a = compass.transpose(%x) {compass.tops = ["a"], perm = array<i64: 0, 3, 1, 2>} : (tensor<1x4x5x6xf32>) -> tensor<1x6x4x5xf32> loc("a")
  %y = compass.slice(%a) {compass.tops = ["y"], begin = array<i64: 0, 0, 0, 0>, end = array<i64: 1, 5, 4, 5>, strides = array<i64: 1, 1, 1, 1>} : (tensor<1x6x4x5xf32>) -> tensor<1x5x4x5xf32> loc("y")
  %z = compass.slice(%a) {compass.tops = ["z"], begin = array<i64: 0, 2, 0, 0>, end = array<i64: 1, 6, 4, 5>, strides = array<i64: 1, 1, 1, 1>} : (tensor<1x6x4x5xf32>) -> tensor<1x4x4x5xf32> loc("z")
  return %y, %z : tensor<1x5x4x5xf32>, tensor<1x4x4x5xf32>
}
