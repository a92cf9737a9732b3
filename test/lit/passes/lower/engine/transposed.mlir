// A transposed convolution of stride 2 is four convolutions of stride 1 whose
// outputs interleave. Of its 3x3 taps they have 2x2 (rows and columns 1, 3, ...
// of the result) down to 1x1, and all 9 once.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.conv"{{.*}}kernelX = 1 : i64, kernelY = 1 : i64{{.*}}outHeight = 4 : i64{{.*}}outWidth = 4 : i64
// CHECK: "npu.conv"{{.*}}kernelX = 2 : i64, kernelY = 1 : i64{{.*}}outHeight = 4 : i64{{.*}}outWidth = 4 : i64
// CHECK: "npu.conv"{{.*}}kernelX = 1 : i64, kernelY = 2 : i64{{.*}}outHeight = 4 : i64{{.*}}outWidth = 4 : i64
// CHECK: "npu.conv"{{.*}}kernelX = 2 : i64, kernelY = 2 : i64{{.*}}outHeight = 4 : i64{{.*}}outWidth = 4 : i64
// CHECK-NOT: "npu.conv"
// CHECK: return
func.func @main() -> tensor<1x8x8x1x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x4x1x!u8> loc("x")
  %y = compass.conv_transpose(%x) {compass.tops = ["y"], num_output = 1 : i64, kernel_x = 3 : i64, kernel_y = 3 : i64, stride_x = 2 : i64, stride_y = 2 : i64, pad_left = 1 : i64, pad_right = 1 : i64, pad_top = 1 : i64, pad_bottom = 1 : i64, output_padding_x = 1 : i64, output_padding_y = 1 : i64, weights = dense<"0x010203040506070809"> : tensor<1x3x3x1xi8>, biases = dense<1> : tensor<1xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x4x4x1x!u8>) -> tensor<1x8x8x1x!u8> loc("y")
  return %y : tensor<1x8x8x1x!u8>
}
