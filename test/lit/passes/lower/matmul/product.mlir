// A product of activations is one command; both operands and the result go through SRAM.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK-COUNT-2: "npu.copy"
// CHECK-NEXT: "npu.matmul"
// CHECK-SAME: aInnerStride = 1 : i64, aRowStride = 3
// CHECK-SAME: bColumnStride = 1 : i64, bInnerStride = 5
// CHECK-SAME: columns = 5 : i64, inner = 3
// CHECK-SAME: outRowStride = 5
// CHECK-SAME: rows = 2
// CHECK-NEXT: "npu.copy"
// CHECK-NEXT: return
func.func @main() -> tensor<2x5x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<2x3x!u8> loc("x")
  %z = compass.input() {compass.tops = ["z"], input_index = 1 : i64} : () -> tensor<3x5x!u8> loc("z")
  %y = compass.matmul(%x, %z) {compass.tops = ["y"], scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<2x3x!u8>, tensor<3x5x!u8>) -> tensor<2x5x!u8> loc("y")
  return %y : tensor<2x5x!u8>
}
