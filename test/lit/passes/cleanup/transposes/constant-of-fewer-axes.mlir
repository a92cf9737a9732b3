// A constant of fewer axes broadcasts: it gets the axes that it lacks, and is transposed at compile time.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(sink-transposes))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[X:.*]] = compass.input
// CHECK: %[[K:.*]] = compass.constant{{.*}}-> tensor<1x1x1x3xf32>
// CHECK: %[[S:.*]] = compass.eltwise(%[[X]], %[[K]])
// CHECK: compass.transpose(%[[S]]) {compass.tops = ["y"]
func.func @main() -> tensor<1x3x4x5xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x5x3xf32> loc("x")
  %t = compass.transpose(%x) {compass.tops = ["t"], perm = array<i64: 0, 3, 1, 2>} : (tensor<1x4x5x3xf32>) -> tensor<1x3x4x5xf32> loc("t")
  %k = compass.constant() {compass.tops = ["k"], weights = dense<[[[1.0]], [[2.0]], [[3.0]]]> : tensor<3x1x1xf32>} : () -> tensor<3x1x1xf32> loc("k")
  %y = compass.eltwise(%t, %k) {compass.tops = ["y"], method = "MUL"} : (tensor<1x3x4x5xf32>, tensor<3x1x1xf32>) -> tensor<1x3x4x5xf32> loc("y")
  return %y : tensor<1x3x4x5xf32>
}
