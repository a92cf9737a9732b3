// Rows of features are the pixels of a 1x1 convolution.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.conv"
// CHECK-SAME: inChannels = 4
// CHECK-SAME: inHeight = 3
// CHECK-SAME: inWidth = 1
// CHECK-SAME: kernelX = 1
// CHECK-SAME: outChannels = 2
// CHECK-SAME: outHeight = 3
func.func @main() -> tensor<3x2x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<3x4x!u8> loc("x")
  %y = compass.fully_connected(%x) {compass.tops = ["y"], num_output = 2 : i64, weights = dense<"0x0106040200050301"> : tensor<2x4xi8>, biases = dense<[1, 2]> : tensor<2xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<3x4x!u8>) -> tensor<3x2x!u8> loc("y")
  return %y : tensor<3x2x!u8>
}
