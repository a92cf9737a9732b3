// An operand that comes twice is loaded once.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK-COUNT-1: "npu.copy"
// CHECK-NEXT: "npu.matmul"
// CHECK-NEXT: "npu.copy"
// CHECK-NEXT: return
func.func @main() -> tensor<4x4x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<4x4x!u8> loc("x")
  %y = compass.matmul(%x, %x) {compass.tops = ["y"], scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<4x4x!u8>, tensor<4x4x!u8>) -> tensor<4x4x!u8> loc("y")
  return %y : tensor<4x4x!u8>
}
