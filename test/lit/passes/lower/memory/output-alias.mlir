// An output that shares the bytes of another tensor is copied to its place.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: buffer_name = "y", region = 4
// CHECK: "npu.conv"
// CHECK: "npu.copy"{{.*}} queue = #npu.unit<"DMA store">{{.*}} size0 = 4 
// CHECK-NEXT: return
func.func @main() -> tensor<4x1x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x!u8> loc("x")
  %a = compass.eltwise(%x, %x) {compass.tops = ["a"], method = "MUL", scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x4x!u8>, tensor<1x4x!u8>) -> tensor<1x4x!u8> loc("a")
  %y = compass.reshape(%a) {compass.tops = ["y"], shape = array<i64: 4, 1>} : (tensor<1x4x!u8>) -> tensor<4x1x!u8> loc("y")
  return %y : tensor<4x1x!u8>
}
