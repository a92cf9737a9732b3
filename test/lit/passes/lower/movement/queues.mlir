// A copy into SRAM is a load and may run ahead with the loads; one that only leaves it
// is a store.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.copy"
// CHECK-NOT: queue
// CHECK: "npu.copy"
// CHECK-SAME: queue = #npu.unit<"DMA store">
// CHECK: "npu.copy"
// CHECK-SAME: queue = #npu.unit<"DMA store">
// CHECK-NEXT: return
func.func @main() -> tensor<16x4x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<4x16x!u8> loc("x")
  %t = compass.transpose(%x) {compass.tops = ["t"], perm = array<i64: 1, 0>} : (tensor<4x16x!u8>) -> tensor<16x4x!u8> loc("t")
  %y = compass.transpose(%t) {compass.tops = ["y"], perm = array<i64: 0, 1>} : (tensor<16x4x!u8>) -> tensor<16x4x!u8> loc("y")
  return %y : tensor<16x4x!u8>
}
