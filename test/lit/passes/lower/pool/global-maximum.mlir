// The greatest value of an image is taken of its rows, many at a time, then of those: the array makes as many results
// at once as it has pixels, of which a window as large as the image is one.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.pool"
// CHECK-SAME: kernelX = 32
// CHECK-SAME: kernelY = 1
// CHECK-SAME: outHeight = 32
// CHECK: "npu.pool"
// CHECK-SAME: kernelX = 1
// CHECK-SAME: kernelY = 32
func.func @main() -> tensor<1x1x1x16x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x32x32x16x!u8> loc("x")
  %a = compass.activation(%x) {compass.tops = ["a"], method = "RELU", scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x32x32x16x!u8>) -> tensor<1x32x32x16x!u8> loc("a")
  %p = compass.pooling(%a) {compass.tops = ["p"], method = "MAX", kernel_x = 32 : i64, kernel_y = 32 : i64, stride_x = 32 : i64, stride_y = 32 : i64} : (tensor<1x32x32x16x!u8>) -> tensor<1x1x1x16x!u8> loc("p")
  %y = compass.activation(%p) {compass.tops = ["y"], method = "RELU", scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x1x1x16x!u8>) -> tensor<1x1x1x16x!u8> loc("y")
  return %y : tensor<1x1x1x16x!u8>
}
