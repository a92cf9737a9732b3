// Weights that fit 8 bits are stored as such, whatever type they come in.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.conv"
// CHECK-NOT: weightType
// CHECK-SAME: winograd = #npu.winograd_mode<"f(2x2,3x3)">
func.func @main() -> tensor<1x2x2x1x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x4x1x!u8> loc("x")
  %y = compass.convolution(%x) {compass.tops = ["y"], num_output = 1 : i64, kernel_x = 4 : i64, kernel_y = 4 : i64, stride_x = 2 : i64, stride_y = 2 : i64, weights = dense<"0x00000100020003000400050006000700080009000A000B000C000D000E000F00"> : tensor<1x4x4x1xi16>, biases = dense<1> : tensor<1xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>, with_winograd = true, Fmnrs = array<i64: 2, 2, 3, 3>} : (tensor<1x4x4x1x!u8>) -> tensor<1x2x2x1x!u8> loc("y")
  return %y : tensor<1x2x2x1x!u8>
}
