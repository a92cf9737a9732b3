// 33,025 products of 255 * 255 are the most that 32 bits hold.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK-NOT: npu.kernel
// CHECK: "npu.matmul"
// CHECK-SAME: inner = 33025
func.func @main() -> tensor<1x1x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x33025x!u8> loc("x")
  %z = compass.input() {compass.tops = ["z"], input_index = 1 : i64} : () -> tensor<33025x1x!u8> loc("z")
  %y = compass.matmul(%x, %z) {compass.tops = ["y"], scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x33025x!u8>, tensor<33025x1x!u8>) -> tensor<1x1x!u8> loc("y")
  return %y : tensor<1x1x!u8>
}
