// A fused residual has the convolution's shape. What must be repeated is joined by a command of its own,
// in which each pixel reads the same channels.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.conv"
// CHECK-NOT: hasResidual
// CHECK: "npu.conv"
// CHECK-SAME: depthwise = 1
// CHECK-SAME: hasResidual = 1
// CHECK-SAME: outPixelStride = 2
// CHECK-NOT: residualPixelStride
// CHECK-NOT: npu.kernel
// CHECK: return
func.func @main() -> tensor<1x4x4x2x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x4x2x!u8> loc("x")
  %z = compass.input() {compass.tops = ["z"], input_index = 1 : i64} : () -> tensor<1x1x1x2x!u8> loc("z")
  %c = compass.convolution(%x) {compass.tops = ["c"], num_output = 2 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense<"0x01060402"> : tensor<2x1x1x2xi8>, biases = dense<[1, 2]> : tensor<2xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x4x4x2x!u8>) -> tensor<1x4x4x2x!u8> loc("c")
  %y = compass.eltwise(%c, %z) {compass.tops = ["y"], scale_value = array<i64: 1, 1, 1>, shift_value = array<i64: 1>} : (tensor<1x4x4x2x!u8>, tensor<1x1x1x2x!u8>) -> tensor<1x4x4x2x!u8> loc("y")
  return %y : tensor<1x4x4x2x!u8>
}
