// A slice begins somewhere and takes steps.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.copy"{{.*}} size0 = 2 : i64, size1 = 3
// CHECK-SAME: src = 9 : i64, srcStride0 = 2 : i64, srcStride1 = 8
func.func @main() -> tensor<3x2x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<4x8x!u8> loc("x")
  %y = compass.slice(%x) {compass.tops = ["y"], begin = array<i64: 1, 1>, end = array<i64: 4, 5>, strides = array<i64: 1, 2>} : (tensor<4x8x!u8>) -> tensor<3x2x!u8> loc("y")
  return %y : tensor<3x2x!u8>
}
