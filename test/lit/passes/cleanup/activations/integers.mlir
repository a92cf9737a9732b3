// An integer activation rounds between the layers: it stays.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fuse-activations))' | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: @main
// CHECK: compass.eltwise
// CHECK-NOT: with_activation
// CHECK: compass.activation
func.func @main() -> tensor<1x4x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x!u8> loc("x")
  %a = compass.eltwise(%x, %x) {compass.tops = ["a"], scale_value = array<i64: 1, 1, 1>, shift_value = array<i64: 1>} : (tensor<1x4x!u8>, tensor<1x4x!u8>) -> tensor<1x4x!u8> loc("a")
  %y = compass.activation(%a) {compass.tops = ["y"], method = "RELU", scale_value = array<i64: 1>, shift_value = array<i64: 0>} : (tensor<1x4x!u8>) -> tensor<1x4x!u8> loc("y")
  return %y : tensor<1x4x!u8>
}
