// A clip to [0, 6] has a name of its own.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fuse-activations))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: compass.activation(%{{.*}}) {compass.tops = ["y"], method = "RELU6"}
// CHECK-NOT: compass.activation
func.func @main() -> tensor<1x4xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4xf32> loc("x")
  %a = compass.activation(%x) {compass.tops = ["a"], method = "RELU"} : (tensor<1x4xf32>) -> tensor<1x4xf32> loc("a")
  %y = compass.activation(%a) {compass.tops = ["y"], method = "CLIP", clip_min = -3.0 : f64, clip_max = 6.0 : f64} : (tensor<1x4xf32>) -> tensor<1x4xf32> loc("y")
  return %y : tensor<1x4xf32>
}
