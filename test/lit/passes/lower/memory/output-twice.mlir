// A tensor that is two outputs is computed once and copied.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK-DAG: buffer_name = "y", region = 4
// CHECK-DAG: buffer_name = "y", region = 5
// CHECK: "npu.conv"
// CHECK-NOT: "npu.conv"
// CHECK: "npu.copy"{{.*}} queue = #npu.unit<"DMA store">{{.*}} size0 = 4 
// CHECK: return
func.func @main() -> (tensor<1x4x!u8>, tensor<1x4x!u8>) {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x!u8> loc("x")
  %y = compass.eltwise(%x, %x) {compass.tops = ["y"], method = "MUL", scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x4x!u8>, tensor<1x4x!u8>) -> tensor<1x4x!u8> loc("y")
  return %y, %y : tensor<1x4x!u8>, tensor<1x4x!u8>
}
