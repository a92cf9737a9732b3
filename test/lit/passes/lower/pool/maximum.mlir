// A maximum needs no table: load, command, store. Padding is the least value of the type.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!i8 = !quant.uniform<i8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.copy"
// CHECK-NEXT: "npu.pool"
// CHECK-SAME: padValue = -128
// CHECK-NEXT: "npu.copy"
// CHECK-NEXT: return
func.func @main() -> tensor<1x3x3x2x!i8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x4x2x!i8> loc("x")
  %y = compass.pooling(%x) {compass.tops = ["y"], method = "MAX", kernel_x = 2 : i64, kernel_y = 2 : i64, stride_x = 2 : i64, stride_y = 2 : i64, pad_left = 1 : i64, pad_right = 1 : i64, pad_top = 1 : i64, pad_bottom = 1 : i64} : (tensor<1x4x4x2x!i8>) -> tensor<1x3x3x2x!i8> loc("y")
  return %y : tensor<1x3x3x2x!i8>
}
