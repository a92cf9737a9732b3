// A slope above 1 makes sums larger, and a wide multiplier has no room for that: 62 bits hold
// sums of 32 times 31. Slopes up to 1 stay on the engine.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.conv"
// CHECK-SAME: activation = #npu.activation<leakyrelu>
// CHECK-SAME: wideScale = 1
// CHECK-NOT: "npu.conv"
// CHECK: npu.kernel{{.*}}yk_conv2d_int
func.func @main() -> tensor<1x4x4x2x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x4x2x!u8> loc("x")
  %c = compass.convolution(%x) {compass.tops = ["c"], num_output = 2 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense<"0x01060402"> : tensor<2x1x1x2xi8>, biases = dense<[1, 2]> : tensor<2xi32>, scale_value = array<i64: 1073741824>, shift_value = array<i64: 34>, with_activation = "LEAKYRELU", negative_slope_value = 26 : i64, negative_slope_shift = 8 : i64} : (tensor<1x4x4x2x!u8>) -> tensor<1x4x4x2x!u8> loc("c")
  %y = compass.convolution(%c) {compass.tops = ["y"], num_output = 2 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense<"0x01060402"> : tensor<2x1x1x2xi8>, biases = dense<[1, 2]> : tensor<2xi32>, scale_value = array<i64: 1073741824>, shift_value = array<i64: 34>, with_activation = "LEAKYRELU", negative_slope_value = 300 : i64, negative_slope_shift = 8 : i64} : (tensor<1x4x4x2x!u8>) -> tensor<1x4x4x2x!u8> loc("y")
  return %y : tensor<1x4x4x2x!u8>
}
