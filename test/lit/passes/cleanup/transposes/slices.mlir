// Slices of one transposed tensor are transposed each for itself.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(sink-transposes))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[X:.*]] = compass.input
// CHECK-DAG: compass.slice(%[[X]]){{.*}}begin = array<i64: 0, 0, 0, 0>{{.*}}-> tensor<1x4x5x2xf32>
// CHECK-DAG: compass.slice(%[[X]]){{.*}}begin = array<i64: 0, 0, 0, 2>{{.*}}-> tensor<1x4x5x4xf32>
// CHECK: return
func.func @main() -> (tensor<1x2x4x5xf32>, tensor<1x4x4x5xf32>) {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x5x6xf32> loc("x")
  %a = compass.transpose(%x) {compass.tops = ["a"], perm = array<i64: 0, 3, 1, 2>} : (tensor<1x4x5x6xf32>) -> tensor<1x6x4x5xf32> loc("a")
  %y = compass.slice(%a) {compass.tops = ["y"], begin = array<i64: 0, 0, 0, 0>, end = array<i64: 1, 2, 4, 5>, strides = array<i64: 1, 1, 1, 1>} : (tensor<1x6x4x5xf32>) -> tensor<1x2x4x5xf32> loc("y")
  %z = compass.slice(%a) {compass.tops = ["z"], begin = array<i64: 0, 2, 0, 0>, end = array<i64: 1, 6, 4, 5>, strides = array<i64: 1, 1, 1, 1>} : (tensor<1x6x4x5xf32>) -> tensor<1x4x4x5xf32> loc("z")
  return %y, %z : tensor<1x2x4x5xf32>, tensor<1x4x4x5xf32>
}
