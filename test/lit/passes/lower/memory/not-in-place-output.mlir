// An output is not written over its operand: the command writes to another place, from where
// it is stored, not where a is.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: buffer_name = "a", region = 0
// CHECK: buffer_name = "y.output", region = 0
// CHECK: "npu.conv"
// CHECK: "npu.conv"
func.func @main() -> tensor<1x4x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x!u8> loc("x")
  %a = compass.eltwise(%x, %x) {compass.tops = ["a"], method = "MUL", scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x4x!u8>, tensor<1x4x!u8>) -> tensor<1x4x!u8> loc("a")
  %y = compass.activation(%a) {compass.tops = ["y"], method = "RELU", scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x4x!u8>) -> tensor<1x4x!u8> loc("y")
  return %y : tensor<1x4x!u8>
}
