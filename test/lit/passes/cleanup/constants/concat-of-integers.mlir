// Zeros of any scale are those of the join, so that a Concat of integers is a border, too.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fold-constants))' | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02:5>
!one = !quant.uniform<u8:f32, 1.0>

// CHECK-LABEL: @main
// CHECK: compass.pad(
// CHECK-SAME: constant_value = 5.000000e+00 : f64
// CHECK-SAME: pads = [array<i64: 1, 0>]
func.func @main() -> tensor<3x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<2x!u8> loc("x")
  %k = compass.constant() {compass.tops = ["k"], weights = dense<[0]> : tensor<1xui8>} : () -> tensor<1x!one> loc("k")
  %y = compass.concat(%k, %x) {compass.tops = ["y"], axis = 0 : i64, scale_value = array<i64: 20, 1>, shift_value = array<i64: 0, 0>} : (tensor<1x!one>, tensor<2x!u8>) -> tensor<3x!u8> loc("y")
  return %y : tensor<3x!u8>
}
