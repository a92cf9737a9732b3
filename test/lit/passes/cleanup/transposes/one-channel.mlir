// A tensor of one channel has the same order with its channel in front and behind.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(sink-transposes))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[M:.*]] = compass.reshape{{.*}}-> tensor<1x4x5x1xf32>
// CHECK: compass.concat({{.*}}%[[M]]){{.*}}axis = 3 : i64{{.*}}-> tensor<1x4x5x4xf32>
func.func @main() -> tensor<1x4x4x5xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x5x3xf32> loc("x")
  %m = compass.input() {compass.tops = ["m"], input_index = 1 : i64} : () -> tensor<1x1x4x5xf32> loc("m")
  %a = compass.transpose(%x) {compass.tops = ["a"], perm = array<i64: 0, 3, 1, 2>} : (tensor<1x4x5x3xf32>) -> tensor<1x3x4x5xf32> loc("a")
  %y = compass.concat(%a, %m) {compass.tops = ["y"], axis = 1 : i64} : (tensor<1x3x4x5xf32>, tensor<1x1x4x5xf32>) -> tensor<1x4x4x5xf32> loc("y")
  return %y : tensor<1x4x4x5xf32>
}
