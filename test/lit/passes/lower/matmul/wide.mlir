// A product's multiplier of 31 bits, and halves that go up.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.matmul"
// CHECK-SAME: halfUp = 1
// CHECK-SAME: scale = 7 : i64, scaleHigh = 32767 : i64, shift = 40
// CHECK-SAME: wideScale = 1
func.func @main() -> tensor<2x5x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<2x3x!u8> loc("x")
  %z = compass.input() {compass.tops = ["z"], input_index = 1 : i64} : () -> tensor<3x5x!u8> loc("z")
  %y = compass.matmul(%x, %z) {compass.tops = ["y"], scale_value = array<i64: 2147418119>, shift_value = array<i64: 40>, requant_rounding = "HALF_UP"} : (tensor<2x3x!u8>, tensor<3x5x!u8>) -> tensor<2x5x!u8> loc("y")
  return %y : tensor<2x5x!u8>
}
