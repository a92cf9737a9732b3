// A border is a fill of everything, then a copy into the middle.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.copy"
// CHECK-SAME: fill = 1
// CHECK-SAME: size0 = 24
// CHECK-NEXT: "npu.copy"
// CHECK-SAME: dst = 8 : i64, dstStride0 = 1 : i64, dstStride1 = 6
// CHECK-SAME: size0 = 3 : i64, size1 = 2
// CHECK-NEXT: return
func.func @main() -> tensor<4x6x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<2x3x!u8> loc("x")
  %y = compass.pad(%x) {compass.tops = ["y"], mode = "CONSTANT", constant_value = 5.0 : f64, pads = [array<i64: 1, 1>, array<i64: 2, 1>]} : (tensor<2x3x!u8>) -> tensor<4x6x!u8> loc("y")
  return %y : tensor<4x6x!u8>
}
