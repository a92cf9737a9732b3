// A vector of one value is a number: the function of bytes and it is a table, which vectors of several values are not.
// RUN: split-file %s %t
// RUN: yarrow-opt %t/same.mlir --yarrow-lower=target=X2_1204 | FileCheck %s --check-prefix=SAME
// RUN: yarrow-opt %t/other.mlir --yarrow-lower=target=X2_1204 | FileCheck %s --check-prefix=OTHER

// SAME: "npu.conv"
// SAME-SAME: hasLut = 1
// SAME-NOT: "npu.kernel"
// OTHER-NOT: hasLut = 1

//--- same.mlir
!u8 = !quant.uniform<u8:f32, 5.000000e-02>
func.func @main() -> tensor<1x4x4x3x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x4x3x!u8> loc("x")
  %c = compass.constant() {compass.tops = ["c"], weights = dense_resource<c> : tensor<3xui8>} : () -> tensor<3x!u8> loc("c")
  %y = compass.eltwise(%x, %c) {compass.tops = ["y"], method = "SUB", scale_value = array<i64: 1, 1, 1>, shift_value = array<i64: 1>} : (tensor<1x4x4x3x!u8>, tensor<3x!u8>) -> tensor<1x4x4x3x!u8> loc("y")
  return %y : tensor<1x4x4x3x!u8>
}
{-# dialect_resources: { builtin: { c: "0x01000000070707" } } #-}

//--- other.mlir
!u8 = !quant.uniform<u8:f32, 5.000000e-02>
func.func @main() -> tensor<1x4x4x3x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x4x3x!u8> loc("x")
  %c = compass.constant() {compass.tops = ["c"], weights = dense_resource<c> : tensor<3xui8>} : () -> tensor<3x!u8> loc("c")
  %y = compass.eltwise(%x, %c) {compass.tops = ["y"], method = "SUB", scale_value = array<i64: 1, 1, 1>, shift_value = array<i64: 1>} : (tensor<1x4x4x3x!u8>, tensor<3x!u8>) -> tensor<1x4x4x3x!u8> loc("y")
  return %y : tensor<1x4x4x3x!u8>
}
{-# dialect_resources: { builtin: { c: "0x01000000070708" } } #-}
