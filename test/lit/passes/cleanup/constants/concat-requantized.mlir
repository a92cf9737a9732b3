// A constant branch gets the scale of the join once, here: -7 * 3 / 2^1 is -10 with ties to even, 9 * 3 / 2^1 is 14. What
// varies keeps its scale.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fold-constants))' | FileCheck %s

!s8 = !quant.uniform<i8:f32, 3.000000e-02>
!s8b = !quant.uniform<i8:f32, 2.000000e-02>

// CHECK-LABEL: @main
// CHECK: %[[K:.*]] = compass.constant
// CHECK-SAME: dense_resource<
// CHECK: compass.concat(%{{.*}}, %[[K]])
// CHECK-SAME: scale_value = array<i64: 5, 1>
// CHECK-SAME: shift_value = array<i64: 2, 0>
// CHECK: "0x{{[0-9A-F]*}}F60E"
func.func @main() -> tensor<4x!s8b> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<2x!s8b> loc("x")
  %k = compass.constant() {compass.tops = ["k"], weights = dense<[-7, 9]> : tensor<2xi8>} : () -> tensor<2x!s8> loc("k")
  %y = compass.concat(%x, %k) {compass.tops = ["y"], axis = 0 : i64, scale_value = array<i64: 5, 3>, shift_value = array<i64: 2, 1>} : (tensor<2x!s8b>, tensor<2x!s8>) -> tensor<4x!s8b> loc("y")
  return %y : tensor<4x!s8b>
}
