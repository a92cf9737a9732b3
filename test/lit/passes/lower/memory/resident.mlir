// A tensor between two layers stays in SRAM: nothing is stored and loaded in between.
// Without optimizations it goes through DDR.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s
// RUN: yarrow-opt %s --yarrow-lower='target=X2_1204 optimize=false' | FileCheck %s --check-prefix=PLAIN

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: buffer_name = "a", region = 0
// CHECK: "npu.conv"
// CHECK-NEXT: "npu.copy"{{.*}} size0 = 32 
// CHECK-NEXT: "npu.conv"
// CHECK-NEXT: "npu.copy"
// CHECK-NEXT: return
// PLAIN-LABEL: func.func @npu_main
// PLAIN: buffer_name = "a", region = 2
// PLAIN: "npu.conv"
// PLAIN-NEXT: "npu.copy"{{.*}} queue = #npu.unit<"DMA store">
// PLAIN: "npu.conv"
func.func @main() -> tensor<1x4x4x2x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x4x2x!u8> loc("x")
  %a = compass.convolution(%x) {compass.tops = ["a"], num_output = 2 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense<"0x01060402"> : tensor<2x1x1x2xi8>, biases = dense<[1, 2]> : tensor<2xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x4x4x2x!u8>) -> tensor<1x4x4x2x!u8> loc("a")
  %y = compass.convolution(%a) {compass.tops = ["y"], num_output = 2 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense<"0x01060402"> : tensor<2x1x1x2xi8>, biases = dense<[1, 2]> : tensor<2xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x4x4x2x!u8>) -> tensor<1x4x4x2x!u8> loc("y")
  return %y : tensor<1x4x4x2x!u8>
}
