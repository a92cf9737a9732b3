// A border that mirrors a tensor in DDR is for the TECs.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK-NOT: "npu.nothing"
// CHECK: npu.kernel{{.*}}yk_pad
// CHECK-NOT: "npu.nothing"
// CHECK: return
func.func @main() -> tensor<6x6x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<4x4x!u8> loc("x")
  %y = compass.pad(%x) {compass.tops = ["y"], mode = "REFLECT", pads = [array<i64: 1, 1>, array<i64: 1, 1>]} : (tensor<4x4x!u8>) -> tensor<6x6x!u8> loc("y")
  return %y : tensor<6x6x!u8>
}
