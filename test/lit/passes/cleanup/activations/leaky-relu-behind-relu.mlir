// LEAKYRELU does not merge with another activation: it stays.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fuse-activations))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: compass.eltwise{{.*}}with_activation = "RELU"
// CHECK: compass.activation{{.*}}method = "LEAKYRELU"
func.func @main() -> tensor<1x4xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4xf32> loc("x")
  %a = compass.eltwise(%x, %x) {compass.tops = ["a"], with_activation = "RELU"} : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32> loc("a")
  %y = compass.activation(%a) {compass.tops = ["y"], method = "LEAKYRELU", negative_slope_value = 0.25 : f64} : (tensor<1x4xf32>) -> tensor<1x4xf32> loc("y")
  return %y : tensor<1x4xf32>
}
