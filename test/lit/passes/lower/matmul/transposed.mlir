// Transposed operands are read with other strides.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.matmul"
// CHECK-SAME: aInnerStride = 2 : i64, aRowStride = 1
// CHECK-SAME: bColumnStride = 3 : i64, bInnerStride = 1
func.func @main() -> tensor<2x5x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<3x2x!u8> loc("x")
  %z = compass.input() {compass.tops = ["z"], input_index = 1 : i64} : () -> tensor<5x3x!u8> loc("z")
  %y = compass.matmul(%x, %z) {compass.tops = ["y"], trans_a = true, trans_b = true, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<3x2x!u8>, tensor<5x3x!u8>) -> tensor<2x5x!u8> loc("y")
  return %y : tensor<2x5x!u8>
}
