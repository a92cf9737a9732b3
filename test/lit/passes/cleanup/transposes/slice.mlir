// Begin, end and steps of a slice change places with the axes.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(sink-transposes))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: compass.slice{{.*}}begin = array<i64: 0, 2, 3, 1>{{.*}}end = array<i64: 1, 4, 5, 3>{{.*}}strides = array<i64: 1, 1, 2, 1>
// CHECK: compass.transpose{{.*}}-> tensor<1x2x2x1xf32>
func.func @main() -> tensor<1x2x2x1xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x5x3xf32> loc("x")
  %t = compass.transpose(%x) {compass.tops = ["t"], perm = array<i64: 0, 3, 1, 2>} : (tensor<1x4x5x3xf32>) -> tensor<1x3x4x5xf32> loc("t")
  %y = compass.slice(%t) {compass.tops = ["y"], begin = array<i64: 0, 1, 2, 3>, end = array<i64: 1, 3, 4, 5>, strides = array<i64: 1, 1, 1, 2>} : (tensor<1x3x4x5xf32>) -> tensor<1x2x2x1xf32> loc("y")
  return %y : tensor<1x2x2x1xf32>
}
