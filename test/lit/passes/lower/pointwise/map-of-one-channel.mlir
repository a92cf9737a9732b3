// A map of one channel is joined with all channels of its pixels: one element serves them.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>
!i16 = !quant.uniform<i16:f32, 1.000000e-03>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.conv"
// CHECK-SAME: inChannels = 24
// CHECK-SAME: inWidth = 32
// CHECK-SAME: residualPerPixel = 1
// CHECK-SAME: residualPixelStride = 1
// CHECK-SAME: sumOp = #npu.sum_op<mul>
// CHECK-NOT: npu.kernel
func.func @main() -> tensor<1x8x4x24x!i16> {
  %a = compass.input() {compass.tops = ["a"]} : () -> tensor<1x8x4x24x!i16> loc("a")
  %b = compass.input() {compass.tops = ["b"], input_index = 1 : i64} : () -> tensor<1x8x4x1x!u8> loc("b")
  %y = compass.eltwise(%b, %a) {compass.tops = ["y"], method = "MUL", scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x8x4x1x!u8>, tensor<1x8x4x24x!i16>) -> tensor<1x8x4x24x!i16> loc("y")
  return %y : tensor<1x8x4x24x!i16>
}
