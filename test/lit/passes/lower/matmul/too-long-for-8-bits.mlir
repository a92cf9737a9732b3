// With a first operand of 16 bits sums have 48: what is too long for 8 bits fits.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>
!i16 = !quant.uniform<i16:f32, 1.000000e-03>

// CHECK-LABEL: func.func @npu_main
// CHECK-NOT: npu.kernel
// CHECK: "npu.matmul"
func.func @main() -> tensor<1x1x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x33026x!i16> loc("x")
  %z = compass.input() {compass.tops = ["z"], input_index = 1 : i64} : () -> tensor<33026x1x!u8> loc("z")
  %y = compass.matmul(%x, %z) {compass.tops = ["y"], scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x33026x!i16>, tensor<33026x1x!u8>) -> tensor<1x1x!u8> loc("y")
  return %y : tensor<1x1x!u8>
}
