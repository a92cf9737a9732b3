// An input that is an output is copied; no layer computes it.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK: npu.layers = []
// CHECK-LABEL: func.func @npu_main
// CHECK-NEXT: npu.buffer {buffer_name = "x", region = 3
// CHECK-NEXT: npu.buffer {buffer_name = "x", region = 4
// CHECK-NEXT: "npu.copy"{{.*}}{npu.layer = -1
// CHECK-NEXT: return
func.func @main() -> tensor<1x4x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x!u8> loc("x")
  return %x : tensor<1x4x!u8>
}
