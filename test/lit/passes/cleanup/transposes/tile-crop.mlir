// Repeats and crops change places with the axes.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(sink-transposes))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: compass.tile{{.*}}repeats = array<i64: 1, 2, 3>
// CHECK: compass.crop{{.*}}crops = [array<i64: 0, 4>, array<i64: 1, 4>, array<i64: 2, 8>]
// CHECK: compass.transpose{{.*}}-> tensor<3x6x4xf32>
func.func @main() -> tensor<3x6x4xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<4x2x3xf32> loc("x")
  %t = compass.transpose(%x) {compass.tops = ["t"], perm = array<i64: 1, 2, 0>} : (tensor<4x2x3xf32>) -> tensor<2x3x4xf32> loc("t")
  %y = compass.tile(%t) {compass.tops = ["y"], repeats = array<i64: 2, 3, 1>} : (tensor<2x3x4xf32>) -> tensor<4x9x4xf32> loc("y")
  %z = compass.crop(%y) {compass.tops = ["z"], crops = [array<i64: 1, 4>, array<i64: 2, 8>, array<i64: 0, 4>]} : (tensor<4x9x4xf32>) -> tensor<3x6x4xf32> loc("z")
  return %z : tensor<3x6x4xf32>
}
