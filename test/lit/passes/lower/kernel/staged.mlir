// What a kernel reads and writes goes through SRAM, where copies run ahead of it. Without
// optimizations it works on DDR.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s
// RUN: yarrow-opt %s --yarrow-lower='target=X2_1204 optimize=false' | FileCheck %s --check-prefix=PLAIN

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK-COUNT-3: buffer_name = "staged", region = 0 : i64, size_bytes = 4
// CHECK: "npu.copy"
// CHECK-NEXT: "npu.copy"
// CHECK-NEXT: npu.kernel
// CHECK-NEXT: "npu.copy"{{.*}} queue = #npu.unit<"DMA store">
// CHECK-NEXT: return
// PLAIN-LABEL: func.func @npu_main
// PLAIN-NOT: region = 0
// PLAIN-NOT: "npu.copy"
// PLAIN: npu.kernel
// PLAIN-NEXT: return
func.func @main() -> tensor<1x4x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x!u8> loc("x")
  %y = compass.eltwise(%x, %x) {compass.tops = ["y"], method = "MUL", scale_value = array<i64: 1>, shift_value = array<i64: 4>, with_activation = "CLIP", clip_min = 0 : i64, clip_max = 255 : i64} : (tensor<1x4x!u8>, tensor<1x4x!u8>) -> tensor<1x4x!u8> loc("y")
  return %y : tensor<1x4x!u8>
}
