// The row buffer holds 16 columns: of 34 columns under a row of 32 outputs the first 30 outputs need two times as many,
// and the last two of all rows are a command of their own, which packs many rows to a step.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!i8 = !quant.uniform<i8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.conv"
// CHECK-SAME: outHeight = 32
// CHECK-SAME: outWidth = 30
// CHECK-SAME: padLeft = 1
// CHECK: "npu.conv"
// CHECK-SAME: outHeight = 32
// CHECK-SAME: outWidth = 2
// CHECK-SAME: output = 480
// CHECK-SAME: padLeft = -29
func.func @main() -> tensor<1x32x32x16x!i8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x32x32x16x!i8> loc("x")
  %y = compass.depthwise_conv(%x) {compass.tops = ["y"], num_output = 16 : i64, kernel_x = 3 : i64, kernel_y = 3 : i64, pad_left = 1 : i64, pad_right = 1 : i64, pad_top = 1 : i64, pad_bottom = 1 : i64, multiplier = 1 : i64, group = 16 : i64, weights = dense<"0x000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B2C2D2E2F303132333435363738393A3B3C3D3E3F404142434445464748494A4B4C4D4E4F505152535455565758595A5B5C5D5E5F60616263000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F202122232425262728292A2B"> : tensor<16x3x3x1xi8>, biases = dense<[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]> : tensor<16xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 6>} : (tensor<1x32x32x16x!i8>) -> tensor<1x32x32x16x!i8> loc("y")
  return %y : tensor<1x32x32x16x!i8>
}
