// A zero point of the weights is a part of them, so the engine takes the layer:
// 1 to 6 and 1 more, which fit 4 bits and are packed, the first one low.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.conv"
// CHECK: return
// CHECK: y.weights: "0x{{........}}72356124
func.func @main() -> tensor<1x4x4x4x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x4x2x!u8> loc("x")
  %y = compass.convolution(%x) {compass.tops = ["y"], num_output = 4 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense<"0x0106040200050301"> : tensor<4x1x1x2xi8>, biases = dense<[1, 2, 3, 4]> : tensor<4xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>, compass.extra = [["weights_zp", "1"]]} : (tensor<1x4x4x2x!u8>) -> tensor<1x4x4x4x!u8> loc("y")
  return %y : tensor<1x4x4x4x!u8>
}
