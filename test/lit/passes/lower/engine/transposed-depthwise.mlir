// A transposed convolution with a group for each channel is four depthwise ones.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK-COUNT-4: "npu.conv"{{.*}}depthwise = 1 : i64
// CHECK-NOT: "npu.conv"
func.func @main() -> tensor<1x8x8x2x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x4x2x!u8> loc("x")
  %y = compass.conv_transpose(%x) {compass.tops = ["y"], num_output = 2 : i64, group = 2 : i64, kernel_x = 2 : i64, kernel_y = 2 : i64, stride_x = 2 : i64, stride_y = 2 : i64, weights = dense<"0x0102030405060708"> : tensor<1x2x2x2xi8>, biases = dense<[1, 2]> : tensor<2xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x4x4x2x!u8>) -> tensor<1x8x8x2x!u8> loc("y")
  return %y : tensor<1x8x8x2x!u8>
}
