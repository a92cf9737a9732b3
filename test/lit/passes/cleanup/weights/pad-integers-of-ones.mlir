// Another stored value is none that padding holds: the border stays.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fold-into-weights))' | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02:5>

// CHECK-LABEL: @main
// CHECK: %[[P:.*]] = compass.pad(
// CHECK: compass.convolution(%[[P]])
func.func @main() -> tensor<1x2x2x1x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x2x2x1x!u8> loc("x")
  %p = compass.pad(%x) {compass.tops = ["p"], mode = "CONSTANT", constant_value = 4 : i64, pads = [array<i64: 0, 0>, array<i64: 1, 1>, array<i64: 1, 1>, array<i64: 0, 0>]} : (tensor<1x2x2x1x!u8>) -> tensor<1x4x4x1x!u8> loc("p")
  %c = compass.convolution(%p) {compass.tops = ["c"], num_output = 1 : i64, kernel_x = 3 : i64, kernel_y = 3 : i64, weights = dense<[[[[1], [2], [3]], [[1], [2], [3]], [[1], [2], [3]]]]> : tensor<1x3x3x1xi8>, biases = dense<[9]> : tensor<1xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x4x4x1x!u8>) -> tensor<1x2x2x1x!u8> loc("c")
  return %c : tensor<1x2x2x1x!u8>
}
