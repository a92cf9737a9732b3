// The largest sum of a channel, bias + 256 times the magnitudes of its weights, is
// 2^31: it does not fit the accumulators, and the TECs compute the layer.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK-NOT: "npu.conv"
// CHECK: npu.kernel{{.*}}yk_conv2d_int
// CHECK-NOT: "npu.conv"
// CHECK: return
func.func @main() -> tensor<1x4x4x1x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x4x2x!u8> loc("x")
  %y = compass.convolution(%x) {compass.tops = ["y"], num_output = 1 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense<"0xFF02"> : tensor<1x1x1x2xi8>, biases = dense<2147482880> : tensor<1xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x4x4x2x!u8>) -> tensor<1x4x4x1x!u8> loc("y")
  return %y : tensor<1x4x4x1x!u8>
}
