// A layer without with_activation takes none in.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fuse-activations))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: compass.softmax
// CHECK-NOT: with_activation
// CHECK: compass.activation
func.func @main() -> tensor<1x4xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4xf32> loc("x")
  %a = compass.softmax(%x) {compass.tops = ["a"], axis = 1 : i64} : (tensor<1x4xf32>) -> tensor<1x4xf32> loc("a")
  %y = compass.activation(%a) {compass.tops = ["y"], method = "RELU"} : (tensor<1x4xf32>) -> tensor<1x4xf32> loc("y")
  return %y : tensor<1x4xf32>
}
