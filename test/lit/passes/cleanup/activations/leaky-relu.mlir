// LEAKYRELU goes into a layer without an activation, slope and all.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fuse-activations))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: compass.eltwise{{.*}}negative_slope_value = 2.500000e-01 : f64, with_activation = "LEAKYRELU"
// CHECK-NOT: compass.activation
func.func @main() -> tensor<1x4xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4xf32> loc("x")
  %a = compass.eltwise(%x, %x) {compass.tops = ["a"]} : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32> loc("a")
  %y = compass.activation(%a) {compass.tops = ["y"], method = "LEAKYRELU", negative_slope_value = 0.25 : f64} : (tensor<1x4xf32>) -> tensor<1x4xf32> loc("y")
  return %y : tensor<1x4xf32>
}
