// 65537 elements are 4096 pixels of 16 channels, and one more. An output of the network is stored from SRAM.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>
!i16 = !quant.uniform<i16:f32, 1.000000e-03>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.conv"
// CHECK-SAME: inChannels = 16
// CHECK-SAME: inWidth = 4096
// CHECK: "npu.conv"
// CHECK-SAME: inChannels = 1 
// CHECK-SAME: inWidth = 1 
// CHECK-SAME: input = 65536
// CHECK-SAME: output = 131072
// CHECK-NOT: "npu.conv"
// CHECK: "npu.copy"{{.*}} queue = #npu.unit<"DMA store">{{.*}} size0 = 65537
func.func @main() -> tensor<1x65537x!i16> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x65537x!u8> loc("x")
  %y = compass.activation(%x) {compass.tops = ["y"], method = "RELU", scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x65537x!u8>) -> tensor<1x65537x!i16> loc("y")
  return %y : tensor<1x65537x!i16>
}
