// Numbers of 16 bits that only move are bytes to the array, two channels each, which take one pass of it; numbers that
// it computes with take two.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!i16 = !quant.uniform<i16:f32, 1.000000e-03>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.conv"
// CHECK-SAME: inType = #npu.element_type<int16>
// CHECK: "npu.conv"
// CHECK-SAME: inChannels = 16
// CHECK-SAME: inPixelStride = 48
// CHECK-NOT: inType
// CHECK-SAME: outPixelStride = 16
// CHECK: "npu.conv"
// CHECK-SAME: inType = #npu.element_type<int16>
func.func @main() -> tensor<1x64x64x8x!i16> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x64x64x24x!i16> loc("x")
  %a = compass.activation(%x) {compass.tops = ["a"], method = "RELU", scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x64x64x24x!i16>) -> tensor<1x64x64x24x!i16> loc("a")
  %s = compass.slice(%a) {compass.tops = ["s"], begin = array<i64: 0, 0, 0, 8>, end = array<i64: 1, 64, 64, 16>, strides = array<i64: 1, 1, 1, 1>} : (tensor<1x64x64x24x!i16>) -> tensor<1x64x64x8x!i16> loc("s")
  %y = compass.activation(%s) {compass.tops = ["y"], method = "RELU", scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x64x64x8x!i16>) -> tensor<1x64x64x8x!i16> loc("y")
  return %y : tensor<1x64x64x8x!i16>
}
