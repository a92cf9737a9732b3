// What nothing computes is an error with its code; no half of a program is left.
// RUN: not yarrow-opt %s --yarrow-lower=target=X2_1204 2>&1 | FileCheck %s

!i16 = !quant.uniform<i16:f32, 5.000000e-02>

// CHECK: error E0302: layer 'y': remain_shift is not supported yet
// CHECK-NOT: npu_main
func.func @main() -> tensor<2x2x!i16> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<2x2x!i16> loc("x")
  %y = compass.matmul(%x, %x) {compass.tops = ["y"], remain_shift = 10 : i64, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<2x2x!i16>, tensor<2x2x!i16>) -> tensor<2x2x!i16> loc("y")
  return %y : tensor<2x2x!i16>
}
