// RELU6 is RELU to the engine: 6 is the upper end of the result's type or clip.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>
!i8 = !quant.uniform<i8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.conv"
// CHECK-SAME: activation = #npu.activation<relu>
func.func @main() -> tensor<1x4x4x2x!i8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x4x2x!u8> loc("x")
  %y = compass.convolution(%x) {compass.tops = ["y"], num_output = 2 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense<"0x01060402"> : tensor<2x1x1x2xi8>, biases = dense<[1, 2]> : tensor<2xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>, with_activation = "RELU6"} : (tensor<1x4x4x2x!u8>) -> tensor<1x4x4x2x!i8> loc("y")
  return %y : tensor<1x4x4x2x!i8>
}
