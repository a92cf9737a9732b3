// Where what varies changes its scale the Concat stays.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fold-constants))' | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>
!u8b = !quant.uniform<u8:f32, 1.0e-01>

// CHECK-LABEL: @main
// CHECK-NOT: compass.pad(
// CHECK: compass.concat(
func.func @main() -> tensor<3x!u8b> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<2x!u8> loc("x")
  %k = compass.constant() {compass.tops = ["k"], weights = dense<[0]> : tensor<1xui8>} : () -> tensor<1x!u8b> loc("k")
  %y = compass.concat(%k, %x) {compass.tops = ["y"], axis = 0 : i64, scale_value = array<i64: 1, 1>, shift_value = array<i64: 0, 1>} : (tensor<1x!u8b>, tensor<2x!u8>) -> tensor<3x!u8b> loc("y")
  return %y : tensor<3x!u8b>
}
