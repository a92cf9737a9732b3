// Scales of a detector, brought to NCHW, flattened, joined and brought back.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(sink-transposes))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK-NOT: compass.transpose
// CHECK: compass.concat{{.*}}axis = 1 : i64, compass.tops = ["y"]{{.*}}-> tensor<1x8x3xf32>
// CHECK-NOT: compass.transpose
func.func @main() -> tensor<1x8x3xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x2x2x3xf32> loc("x")
  %z = compass.input() {compass.tops = ["z"], input_index = 1 : i64} : () -> tensor<1x4x1x3xf32> loc("z")
  %a = compass.transpose(%x) {compass.tops = ["a"], perm = array<i64: 0, 3, 1, 2>} : (tensor<1x2x2x3xf32>) -> tensor<1x3x2x2xf32> loc("a")
  %b = compass.reshape(%a) {compass.tops = ["b"], shape = array<i64: 1, 3, 4>} : (tensor<1x3x2x2xf32>) -> tensor<1x3x4xf32> loc("b")
  %c = compass.transpose(%z) {compass.tops = ["c"], perm = array<i64: 0, 3, 1, 2>} : (tensor<1x4x1x3xf32>) -> tensor<1x3x4x1xf32> loc("c")
  %d = compass.reshape(%c) {compass.tops = ["d"], shape = array<i64: 1, 3, 4>} : (tensor<1x3x4x1xf32>) -> tensor<1x3x4xf32> loc("d")
  %k = compass.concat(%b, %d) {compass.tops = ["k"], axis = 2 : i64} : (tensor<1x3x4xf32>, tensor<1x3x4xf32>) -> tensor<1x3x8xf32> loc("k")
  %y = compass.transpose(%k) {compass.tops = ["y"], perm = array<i64: 0, 2, 1>} : (tensor<1x3x8xf32>) -> tensor<1x8x3xf32> loc("y")
  return %y : tensor<1x8x3xf32>
}
