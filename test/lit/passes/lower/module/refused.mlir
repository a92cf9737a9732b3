// What nothing computes is an error with its code; no half of a program is left.
// RUN: not yarrow-opt %s --yarrow-lower=target=X2_1204 2>&1 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK: error E0302: layer 'y': method L1 is not supported yet in integer IR
// CHECK-NOT: npu_main
func.func @main() -> tensor<1x2x2x1x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x4x1x!u8> loc("x")
  %y = compass.pooling(%x) {compass.tops = ["y"], method = "L1", kernel_x = 2 : i64, kernel_y = 2 : i64, stride_x = 2 : i64, stride_y = 2 : i64, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x4x4x1x!u8>) -> tensor<1x2x2x1x!u8> loc("y")
  return %y : tensor<1x2x2x1x!u8>
}
