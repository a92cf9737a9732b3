// A slice that runs backwards is a copy with a negative stride.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.copy"
// CHECK-SAME: size0 = 8
// CHECK-SAME: src = 7 : i64, srcStride0 = -1
func.func @main() -> tensor<1x8x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x8x!u8> loc("x")
  %y = compass.slice(%x) {compass.tops = ["y"], begin = array<i64: 0, -1>, end = array<i64: 1, -9>, strides = array<i64: 1, -1>} : (tensor<1x8x!u8>) -> tensor<1x8x!u8> loc("y")
  return %y : tensor<1x8x!u8>
}
