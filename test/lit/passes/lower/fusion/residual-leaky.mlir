// A sum may have slopes if the convolution has none; both at once have no room in the command.
// RUN: yarrow-opt %s --split-input-file --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.conv"
// CHECK-SAME: hasResidual = 1
// CHECK-SAME: slope = 1
// CHECK-SAME: slopeShift = 2
// CHECK-SAME: sumActivation = #npu.activation<leakyrelu>
// CHECK-NOT: npu.kernel
// CHECK: return
func.func @main() -> tensor<1x4x4x2x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x4x2x!u8> loc("x")
  %c = compass.convolution(%x) {compass.tops = ["c"], num_output = 2 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense<"0x01060402"> : tensor<2x1x1x2xi8>, biases = dense<[1, 2]> : tensor<2xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x4x4x2x!u8>) -> tensor<1x4x4x2x!u8> loc("c")
  %y = compass.eltwise(%c, %x) {compass.tops = ["y"], scale_value = array<i64: 1, 1, 1>, shift_value = array<i64: 1>, with_activation = "LEAKYRELU", negative_slope_value = 1 : i64, negative_slope_shift = 2 : i64} : (tensor<1x4x4x2x!u8>, tensor<1x4x4x2x!u8>) -> tensor<1x4x4x2x!u8> loc("y")
  return %y : tensor<1x4x4x2x!u8>
}

// -----

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// Then the two are layers of their own, and what is between them stays in SRAM.
// CHECK-LABEL: func.func @npu_main
// CHECK: npu.buffer {buffer_name = "c", region = 0
// CHECK: "npu.conv"
// CHECK-SAME: activation = #npu.activation<leakyrelu>
// CHECK: "npu.conv"
// CHECK-SAME: hasResidual = 1
// CHECK-SAME: sumActivation = #npu.activation<leakyrelu>
// CHECK-NOT: npu.kernel
// CHECK: return
func.func @main() -> tensor<1x4x4x2x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x4x2x!u8> loc("x")
  %c = compass.convolution(%x) {compass.tops = ["c"], num_output = 2 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense<"0x01060402"> : tensor<2x1x1x2xi8>, biases = dense<[1, 2]> : tensor<2xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>, with_activation = "LEAKYRELU", negative_slope_value = 1 : i64, negative_slope_shift = 2 : i64} : (tensor<1x4x4x2x!u8>) -> tensor<1x4x4x2x!u8> loc("c")
  %y = compass.eltwise(%c, %x) {compass.tops = ["y"], scale_value = array<i64: 1, 1, 1>, shift_value = array<i64: 1>, with_activation = "LEAKYRELU", negative_slope_value = 1 : i64, negative_slope_shift = 2 : i64} : (tensor<1x4x4x2x!u8>, tensor<1x4x4x2x!u8>) -> tensor<1x4x4x2x!u8> loc("y")
  return %y : tensor<1x4x4x2x!u8>
}
