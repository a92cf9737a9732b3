// Clips that do not meet leave the bound that is nearer: of [0, 1] all becomes 2 in [2, 3].
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fuse-activations))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: compass.activation{{.*}}clip_max = 2.000000e+00 : f64, clip_min = 2.000000e+00 : f64
// CHECK-NOT: compass.activation
func.func @main() -> tensor<1x4xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4xf32> loc("x")
  %a = compass.activation(%x) {compass.tops = ["a"], method = "CLIP", clip_min = 0.0 : f64, clip_max = 1.0 : f64} : (tensor<1x4xf32>) -> tensor<1x4xf32> loc("a")
  %y = compass.activation(%a) {compass.tops = ["y"], method = "CLIP", clip_min = 2.0 : f64, clip_max = 3.0 : f64} : (tensor<1x4xf32>) -> tensor<1x4xf32> loc("y")
  return %y : tensor<1x4xf32>
}
