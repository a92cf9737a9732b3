// A kernel uses tensors that stay in SRAM where they are.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: npu.kernel{{.*}}yk_eltwise_int
// CHECK-NOT: "npu.copy"
// CHECK: npu.kernel{{.*}}yk_eltwise_int
// CHECK-NEXT: "npu.copy"{{.*}} queue = #npu.unit<"DMA store">
// CHECK-NEXT: return
func.func @main() -> tensor<1x4x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x!u8> loc("x")
  %a = compass.eltwise(%x, %x) {compass.tops = ["a"], method = "MUL", scale_value = array<i64: 1>, shift_value = array<i64: 4>, with_activation = "CLIP", clip_min = 0 : i64, clip_max = 255 : i64} : (tensor<1x4x!u8>, tensor<1x4x!u8>) -> tensor<1x4x!u8> loc("a")
  %y = compass.eltwise(%a, %a) {compass.tops = ["y"], method = "MUL", scale_value = array<i64: 1>, shift_value = array<i64: 4>, with_activation = "CLIP", clip_min = 0 : i64, clip_max = 255 : i64} : (tensor<1x4x!u8>, tensor<1x4x!u8>) -> tensor<1x4x!u8> loc("y")
  return %y : tensor<1x4x!u8>
}
