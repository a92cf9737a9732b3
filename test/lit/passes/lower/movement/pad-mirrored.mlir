// A border that mirrors a tensor in DDR goes through SRAM: the TECs would take it row by row.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK-NOT: yk_pad
// CHECK: "npu.copy"(%0, %[[X:[0-9]+]])
// CHECK-COUNT-9: "npu.copy"(%[[X]], %[[Y:[0-9]+]])
// CHECK: "npu.copy"(%[[Y]], %1)
// CHECK-NOT: yk_pad
// CHECK: return
func.func @main() -> tensor<6x6x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<4x4x!u8> loc("x")
  %y = compass.pad(%x) {compass.tops = ["y"], mode = "REFLECT", pads = [array<i64: 1, 1>, array<i64: 1, 1>]} : (tensor<4x4x!u8>) -> tensor<6x6x!u8> loc("y")
  return %y : tensor<6x6x!u8>
}
