// Integer layers have roundings of their own: nothing goes into their weights.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fold-into-weights))' | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: @main
// CHECK: compass.fully_connected
// CHECK: compass.eltwise
func.func @main() -> tensor<1x2x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x2x!u8> loc("x")
  %f = compass.fully_connected(%x) {compass.tops = ["f"], num_output = 2 : i64, weights = dense<"0x01020304"> : tensor<2x2xi8>, biases = dense<[1, 2]> : tensor<2xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x2x!u8>) -> tensor<1x2x!u8> loc("f")
  %c = compass.constant() {compass.tops = ["c"], weights = dense<"0x0102"> : tensor<1x2xui8>} : () -> tensor<1x2x!u8> loc("c")
  %y = compass.eltwise(%f, %c) {compass.tops = ["y"], scale_value = array<i64: 1, 1, 1>, shift_value = array<i64: 1>} : (tensor<1x2x!u8>, tensor<1x2x!u8>) -> tensor<1x2x!u8> loc("y")
  return %y : tensor<1x2x!u8>
}
