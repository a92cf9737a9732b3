// An activation goes into the layer before, if nobody else reads that layer.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fuse-activations))' | FileCheck %s

// CHECK-LABEL: @fused
// CHECK: compass.eltwise{{.*}}with_activation = "RELU"
// CHECK-NOT: compass.activation
// CHECK: return
func.func @fused() -> tensor<1x4xf32> {
  %x = compass.input() : () -> tensor<1x4xf32>
  %e = compass.eltwise(%x, %x) : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %a = compass.activation(%e) {method = "RELU"} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %a : tensor<1x4xf32>
}

// CHECK-LABEL: @read_twice
// CHECK: compass.eltwise
// CHECK-NOT: with_activation
// CHECK: compass.activation
func.func @read_twice() -> (tensor<1x4xf32>, tensor<1x4xf32>) {
  %x = compass.input() : () -> tensor<1x4xf32>
  %e = compass.eltwise(%x, %x) : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
  %a = compass.activation(%e) {method = "RELU"} : (tensor<1x4xf32>) -> tensor<1x4xf32>
  return %a, %e : tensor<1x4xf32>, tensor<1x4xf32>
}
