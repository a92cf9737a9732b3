// Inputs of 16 bits stay: the engine's mode is for 8.
// RUN: yarrow-opt %s --exact-winograd | FileCheck %s

!i16 = !quant.uniform<i16:f32, 1.000000e-03>

// CHECK-LABEL: @main
// CHECK: compass.convolution
// CHECK-NOT: with_winograd = true
// CHECK: return
func.func @main() -> tensor<1x2x2x1x!i16> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x4x1x!i16> loc("x")
  %y = compass.convolution(%x) {compass.tops = ["y"], num_output = 1 : i64, kernel_x = 3 : i64, kernel_y = 3 : i64, weights = dense<"0x010203040506070809"> : tensor<1x3x3x1xi8>, biases = dense<1> : tensor<1xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x4x4x1x!i16>) -> tensor<1x2x2x1x!i16> loc("y")
  return %y : tensor<1x2x2x1x!i16>
}
