// A channel shuffle in NCHW, between layers in NHWC: only its own swap is left.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(sink-transposes))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[X:.*]] = compass.input
// CHECK: %[[R:.*]] = compass.reshape(%[[X]]){{.*}}-> tensor<15x3x2xf32>
// CHECK: %[[T:.*]] = compass.transpose(%[[R]]){{.*}}-> tensor<15x2x3xf32>
// CHECK: compass.reshape(%[[T]]){{.*}}-> tensor<1x3x5x6xf32>
// CHECK-NOT: compass.transpose
func.func @main() -> tensor<1x3x5x6xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x3x5x6xf32> loc("x")
  %a = compass.transpose(%x) {compass.tops = ["a"], perm = array<i64: 0, 3, 1, 2>} : (tensor<1x3x5x6xf32>) -> tensor<1x6x3x5xf32> loc("a")
  %b = compass.reshape(%a) {compass.tops = ["b"], shape = array<i64: 3, 2, 15>} : (tensor<1x6x3x5xf32>) -> tensor<3x2x15xf32> loc("b")
  %c = compass.transpose(%b) {compass.tops = ["c"], perm = array<i64: 1, 0, 2>} : (tensor<3x2x15xf32>) -> tensor<2x3x15xf32> loc("c")
  %d = compass.reshape(%c) {compass.tops = ["d"], shape = array<i64: 1, 6, 3, 5>} : (tensor<2x3x15xf32>) -> tensor<1x6x3x5xf32> loc("d")
  %y = compass.transpose(%d) {compass.tops = ["y"], perm = array<i64: 0, 2, 3, 1>} : (tensor<1x6x3x5xf32>) -> tensor<1x3x5x6xf32> loc("y")
  return %y : tensor<1x3x5x6xf32>
}
