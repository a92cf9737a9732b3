// Two clips in a row are one: CLIP to [-1, 4], then RELU, is CLIP to [0, 4].
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fuse-activations))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: compass.activation{{.*}}clip_max = 4.000000e+00 : f64, clip_min = 0.000000e+00 : f64, compass.tops = ["y"], method = "CLIP"
// CHECK-NOT: compass.activation
func.func @main() -> tensor<1x4xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4xf32> loc("x")
  %a = compass.activation(%x) {compass.tops = ["a"], method = "CLIP", clip_min = -1.0 : f64, clip_max = 4.0 : f64} : (tensor<1x4xf32>) -> tensor<1x4xf32> loc("a")
  %y = compass.activation(%a) {compass.tops = ["y"], method = "RELU"} : (tensor<1x4xf32>) -> tensor<1x4xf32> loc("y")
  return %y : tensor<1x4xf32>
}
