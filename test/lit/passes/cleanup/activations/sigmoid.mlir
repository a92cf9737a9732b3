// SIGMOID is no clip and no slope: it stays a layer.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fuse-activations))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: compass.eltwise
// CHECK-NOT: with_activation
// CHECK: compass.activation{{.*}}method = "SIGMOID"
func.func @main() -> tensor<1x4xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4xf32> loc("x")
  %a = compass.eltwise(%x, %x) {compass.tops = ["a"]} : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32> loc("a")
  %y = compass.activation(%a) {compass.tops = ["y"], method = "SIGMOID"} : (tensor<1x4xf32>) -> tensor<1x4xf32> loc("y")
  return %y : tensor<1x4xf32>
}
