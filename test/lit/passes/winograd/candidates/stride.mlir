// A convolution of stride 2 has no tiles of F(2x2,3x3): it stays.
// RUN: yarrow-opt %s --exact-winograd | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: @main
// CHECK: compass.convolution
// CHECK-NOT: with_winograd = true
// CHECK: return
func.func @main() -> tensor<1x1x1x1x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x4x1x!u8> loc("x")
  %y = compass.convolution(%x) {compass.tops = ["y"], num_output = 1 : i64, kernel_x = 3 : i64, kernel_y = 3 : i64, stride_x = 2 : i64, stride_y = 2 : i64, weights = dense<"0x010203040506070809"> : tensor<1x3x3x1xi8>, biases = dense<1> : tensor<1xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x4x4x1x!u8>) -> tensor<1x1x1x1x!u8> loc("y")
  return %y : tensor<1x1x1x1x!u8>
}
