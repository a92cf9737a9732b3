// Groups of channels stay: the engine's mode has none.
// RUN: yarrow-opt %s --exact-winograd | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: @main
// CHECK: compass.convolution
// CHECK-NOT: with_winograd = true
// CHECK: return
func.func @main() -> tensor<1x2x2x2x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x4x2x!u8> loc("x")
  %y = compass.convolution(%x) {compass.tops = ["y"], num_output = 2 : i64, kernel_x = 3 : i64, kernel_y = 3 : i64, group = 2 : i64, weights = dense<"0x010604020005030106040200050301060402"> : tensor<2x3x3x1xi8>, biases = dense<[1, 2]> : tensor<2xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x4x4x2x!u8>) -> tensor<1x2x2x2x!u8> loc("y")
  return %y : tensor<1x2x2x2x!u8>
}
