// The row of a layer says why the TECs compute it, and what an engine would take. The rows of other layers say nothing.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!i8 = !quant.uniform<i8:f32, 5.000000e-02>
!i32 = !quant.uniform<i32:f32, 1.000000e+00>

// CHECK: npu.layers = [{
// CHECK-SAME: name = "a", on_tecs = "the tensor engine takes yk_activation_int only in this form: 8 and 16 bits"
// CHECK-SAME: name = "f", on_tecs = "no engine computes yk_arg_min_max"
// CHECK-SAME: name = "y", out_bytes
func.func @main() -> (tensor<1x8x8x4x!i32>, tensor<1x8x8x1xi32>, tensor<1x8x8x4x!i8>) {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x8x8x4x!i8> loc("x")
  %a = compass.sign(%x) {compass.tops = ["a"], scale_value = array<i64: 1>, shift_value = array<i64: 0>} : (tensor<1x8x8x4x!i8>) -> tensor<1x8x8x4x!i32> loc("a")
  %f = compass.arg_min_max(%x) {compass.tops = ["f"], axis = 3 : i64, method = "MAX"} : (tensor<1x8x8x4x!i8>) -> tensor<1x8x8x1xi32> loc("f")
  %y = compass.activation(%x) {compass.tops = ["y"], method = "RELU", scale_value = array<i64: 1>, shift_value = array<i64: 0>} : (tensor<1x8x8x4x!i8>) -> tensor<1x8x8x4x!i8> loc("y")
  return %a, %f, %y : tensor<1x8x8x4x!i32>, tensor<1x8x8x1xi32>, tensor<1x8x8x4x!i8>
}
