// A concatenation of transposed tensors moves up, along the axis that it was.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(sink-transposes))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: compass.concat{{.*}}axis = 3 : i64{{.*}}-> tensor<1x4x5x6xf32>
// CHECK: compass.transpose{{.*}}-> tensor<1x6x4x5xf32>
// CHECK-NOT: compass.transpose
func.func @main() -> tensor<1x6x4x5xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x5x3xf32> loc("x")
  %t = compass.transpose(%x) {compass.tops = ["t"], perm = array<i64: 0, 3, 1, 2>} : (tensor<1x4x5x3xf32>) -> tensor<1x3x4x5xf32> loc("t")
  %z = compass.input() {compass.tops = ["z"], input_index = 1 : i64} : () -> tensor<1x4x5x3xf32> loc("z")
  %u = compass.transpose(%z) {compass.tops = ["u"], perm = array<i64: 0, 3, 1, 2>} : (tensor<1x4x5x3xf32>) -> tensor<1x3x4x5xf32> loc("u")
  %y = compass.concat(%t, %u) {compass.tops = ["y"], axis = 1 : i64} : (tensor<1x3x4x5xf32>, tensor<1x3x4x5xf32>) -> tensor<1x6x4x5xf32> loc("y")
  return %y : tensor<1x6x4x5xf32>
}
