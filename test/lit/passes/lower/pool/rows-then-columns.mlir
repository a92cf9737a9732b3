// A maximum of large windows is taken of their rows, then of columns of those: 13 + 13 cells, not 169.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: buffer_name = "p.rows", region = 0
// CHECK: "npu.pool"
// CHECK-SAME: kernelX = 13
// CHECK-SAME: kernelY = 1
// CHECK-SAME: padLeft = 6
// CHECK: "npu.pool"
// CHECK-SAME: kernelX = 1
// CHECK-SAME: kernelY = 13
// CHECK-NOT: padLeft
// CHECK-SAME: padTop = 6
func.func @main() -> tensor<1x20x20x16x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x20x20x16x!u8> loc("x")
  %a = compass.activation(%x) {compass.tops = ["a"], method = "RELU", scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x20x20x16x!u8>) -> tensor<1x20x20x16x!u8> loc("a")
  %p = compass.pooling(%a) {compass.tops = ["p"], method = "MAX", kernel_x = 13 : i64, kernel_y = 13 : i64, pad_left = 6 : i64, pad_right = 6 : i64, pad_top = 6 : i64, pad_bottom = 6 : i64} : (tensor<1x20x20x16x!u8>) -> tensor<1x20x20x16x!u8> loc("p")
  %y = compass.activation(%p) {compass.tops = ["y"], method = "RELU", scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x20x20x16x!u8>) -> tensor<1x20x20x16x!u8> loc("y")
  return %y : tensor<1x20x20x16x!u8>
}
