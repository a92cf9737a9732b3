// A window of 5x5 stays: its transform is not whole.
// RUN: yarrow-opt %s --exact-winograd | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: @main
// CHECK: compass.convolution
// CHECK-NOT: with_winograd = true
// CHECK: return
func.func @main() -> tensor<1x2x2x1x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x6x6x1x!u8> loc("x")
  %y = compass.convolution(%x) {compass.tops = ["y"], num_output = 1 : i64, kernel_x = 5 : i64, kernel_y = 5 : i64, weights = dense<"0x000102030405060708090A0B0C0D0E0F101112131415161718"> : tensor<1x5x5x1xi8>, biases = dense<1> : tensor<1xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x6x6x1x!u8>) -> tensor<1x2x2x1x!u8> loc("y")
  return %y : tensor<1x2x2x1x!u8>
}
