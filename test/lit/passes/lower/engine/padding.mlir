// Padding is the stored integer that means 0.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>
!u8z = !quant.uniform<u8:f32, 5.000000e-02:3>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.conv"
// CHECK-SAME: padLeft = 2
// CHECK-SAME: padTop = 1
// CHECK-SAME: padValue = 3
func.func @main() -> tensor<1x4x4x1x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x4x1x!u8z> loc("x")
  %y = compass.convolution(%x) {compass.tops = ["y"], num_output = 1 : i64, kernel_x = 3 : i64, kernel_y = 3 : i64, dilation_x = 2 : i64, pad_left = 2 : i64, pad_right = 2 : i64, pad_top = 1 : i64, pad_bottom = 1 : i64, weights = dense<"0x010604020005030106"> : tensor<1x3x3x1xi8>, biases = dense<1> : tensor<1xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x4x4x1x!u8z>) -> tensor<1x4x4x1x!u8> loc("y")
  return %y : tensor<1x4x4x1x!u8>
}
