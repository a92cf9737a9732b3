// A border to the right and below: the rows below are written as well, so all elements get the value first.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.conv"
// CHECK: "npu.conv"
// CHECK-SAME: outChannels = 16
// CHECK-SAME: outPixelStride = 16
// CHECK-SAME: outWidth = 8450
// CHECK: "npu.conv"
// CHECK-SAME: outPixelStride = 2080
// CHECK-SAME: outWidth = 64
// CHECK: return
func.func @main() -> tensor<1x65x65x32x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x64x64x32x!u8> loc("x")
  %a = compass.activation(%x) {compass.tops = ["a"], method = "RELU", scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x64x64x32x!u8>) -> tensor<1x64x64x32x!u8> loc("a")
  %p = compass.pad(%a) {compass.tops = ["p"], mode = "CONSTANT", constant_value = 3.0 : f64, pads = [array<i64: 0, 0>, array<i64: 0, 1>, array<i64: 0, 1>, array<i64: 0, 0>]} : (tensor<1x64x64x32x!u8>) -> tensor<1x65x65x32x!u8> loc("p")
  %y = compass.activation(%p) {compass.tops = ["y"], method = "RELU", scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x65x65x32x!u8>) -> tensor<1x65x65x32x!u8> loc("y")
  return %y : tensor<1x65x65x32x!u8>
}
