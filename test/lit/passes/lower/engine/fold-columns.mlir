// Of an image with one channel the columns under a row of the kernel are channels: padding is
// filled beside what is loaded, the weights stay as they are.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s
// RUN: yarrow-opt %s "--yarrow-lower=target=X2_1204 optimize=false" | FileCheck %s --check-prefix=PLAIN

!u8 = !quant.uniform<u8:f32, 5.000000e-02>
!u8z = !quant.uniform<u8:f32, 5.000000e-02:3>

// CHECK-LABEL: func.func @npu_main
// 32 columns behind one of padding, 34 bytes a row.
// CHECK: "npu.copy"{{.*}} <{dst = 1 {{.*}}dstStride1 = 34 {{.*}} size0 = 32 {{.*}} size1 = 32
// CHECK: "npu.copy"{{.*}} <{dstStride0 = 1 {{.*}} fill = 1 {{.*}} fillValue = 3 {{.*}} size1 = 32
// CHECK: "npu.copy"{{.*}} <{dst = 33 {{.*}} fill = 1
// CHECK: "npu.conv"
// CHECK-SAME: inChannels = 3
// CHECK-SAME: inPixelStride = 1
// CHECK-SAME: inRowStride = 34
// CHECK-SAME: inWidth = 32
// CHECK-SAME: kernelX = 1
// CHECK-SAME: kernelY = 3
// CHECK-SAME: padTop = 1

// PLAIN: "npu.conv"
// PLAIN-SAME: inChannels = 1
// PLAIN-SAME: kernelX = 3
func.func @main() -> tensor<1x32x32x9x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x32x32x1x!u8z> loc("x")
  %y = compass.convolution(%x) {compass.tops = ["y"], num_output = 9 : i64, kernel_x = 3 : i64, kernel_y = 3 : i64, pad_left = 1 : i64, pad_right = 1 : i64, pad_top = 1 : i64, pad_bottom = 1 : i64, weights = dense<"0x010604020005030106010604020005030106010604020005030106010604020005030106010604020005030106010604020005030106010604020005030106010604020005030106010604020005030106"> : tensor<9x3x3x1xi8>, biases = dense<[1, 2, 3, 4, 5, 6, 7, 8, 9]> : tensor<9xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x32x32x1x!u8z>) -> tensor<1x32x32x9x!u8> loc("y")
  return %y : tensor<1x32x32x9x!u8>
}
