// An absolute value is an activation whose slope is -1.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!i8 = !quant.uniform<i8:f32, 5.000000e-02>
!u8 = !quant.uniform<u8:f32, 2.500000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.conv"
// CHECK-SAME: activation = #npu.activation<leakyrelu>
// CHECK-SAME: slope = -1
// CHECK-NOT: npu.kernel
func.func @main() -> tensor<1x8x8x4x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x8x8x4x!i8> loc("x")
  %y = compass.abs(%x) {compass.tops = ["y"], scale_value = array<i64: 2>, shift_value = array<i64: 0>} : (tensor<1x8x8x4x!i8>) -> tensor<1x8x8x4x!u8> loc("y")
  return %y : tensor<1x8x8x4x!u8>
}
