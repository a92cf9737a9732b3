// Two transposes in a row are one.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(sink-transposes))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[X:.*]] = compass.input
// CHECK: compass.transpose(%[[X]]){{.*}}perm = array<i64: 3, 0, 2, 1>
// CHECK-NOT: compass.transpose
func.func @main() -> tensor<3x1x5x4xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x5x3xf32> loc("x")
  %t = compass.transpose(%x) {compass.tops = ["t"], perm = array<i64: 0, 3, 1, 2>} : (tensor<1x4x5x3xf32>) -> tensor<1x3x4x5xf32> loc("t")
  %y = compass.transpose(%t) {compass.tops = ["y"], perm = array<i64: 1, 0, 3, 2>} : (tensor<1x3x4x5xf32>) -> tensor<3x1x5x4xf32> loc("y")
  return %y : tensor<3x1x5x4xf32>
}
