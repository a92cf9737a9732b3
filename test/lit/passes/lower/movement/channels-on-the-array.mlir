// Channels of a tensor in SRAM that stay together are moved by the array, at 16 channels of 16 pixels a cycle: those
// behind them are written as 0 times an input, plus the value. Few bytes are left to the DMA engine.
// RUN: yarrow-opt %s --split-input-file --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.conv"
// CHECK: "npu.conv"
// CHECK-SAME: outChannels = 8
// CHECK-SAME: outPixelStride = 32
// CHECK-SAME: output = 24
// CHECK: "npu.conv"
// CHECK-SAME: outChannels = 24
// CHECK-SAME: outPixelStride = 32
// CHECK-NOT: fill
// CHECK: return
func.func @main() -> tensor<1x64x64x32x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x64x64x24x!u8> loc("x")
  %a = compass.activation(%x) {compass.tops = ["a"], method = "RELU", scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x64x64x24x!u8>) -> tensor<1x64x64x24x!u8> loc("a")
  %p = compass.pad(%a) {compass.tops = ["p"], mode = "CONSTANT", constant_value = 3.0 : f64, pads = [array<i64: 0, 0>, array<i64: 0, 0>, array<i64: 0, 0>, array<i64: 0, 8>]} : (tensor<1x64x64x24x!u8>) -> tensor<1x64x64x32x!u8> loc("p")
  %y = compass.activation(%p) {compass.tops = ["y"], method = "RELU", scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x64x64x32x!u8>) -> tensor<1x64x64x32x!u8> loc("y")
  return %y : tensor<1x64x64x32x!u8>
}

// -----

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.conv"
// CHECK: "npu.copy"{{.*}}fill = 1
// CHECK-NEXT: "npu.copy"
// CHECK: "npu.conv"
func.func @main() -> tensor<1x2x2x4x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x2x2x3x!u8> loc("x")
  %a = compass.activation(%x) {compass.tops = ["a"], method = "RELU", scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x2x2x3x!u8>) -> tensor<1x2x2x3x!u8> loc("a")
  %p = compass.pad(%a) {compass.tops = ["p"], mode = "CONSTANT", constant_value = 3.0 : f64, pads = [array<i64: 0, 0>, array<i64: 0, 0>, array<i64: 0, 0>, array<i64: 0, 1>]} : (tensor<1x2x2x3x!u8>) -> tensor<1x2x2x4x!u8> loc("p")
  %y = compass.activation(%p) {compass.tops = ["y"], method = "RELU", scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x2x2x4x!u8>) -> tensor<1x2x2x4x!u8> loc("y")
  return %y : tensor<1x2x2x4x!u8>
}
