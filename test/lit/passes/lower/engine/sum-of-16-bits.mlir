// Sums of 16-bit inputs have 48 bits: what is too much for 32 fits.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!i16 = !quant.uniform<i16:f32, 1.000000e-03>

// CHECK-LABEL: func.func @npu_main
// CHECK-NOT: npu.kernel
// CHECK: npu.conv
// CHECK-NOT: npu.kernel
// CHECK: return
func.func @main() -> tensor<1x4x4x1x!i16> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x4x2x!i16> loc("x")
  %y = compass.convolution(%x) {compass.tops = ["y"], num_output = 1 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense<"0xFF02"> : tensor<1x1x1x2xi8>, biases = dense<2147483647> : tensor<1xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x4x4x2x!i16>) -> tensor<1x4x4x1x!i16> loc("y")
  return %y : tensor<1x4x4x1x!i16>
}
