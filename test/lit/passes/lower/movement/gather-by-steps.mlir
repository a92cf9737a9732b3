// Windows that slide over an axis, as an unfolding gathers them, are one copy; indices
// without steps are a kernel's.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.copy"{{.*}} size0 = 6 : i64, size1 = 3 : i64, size2 = 2 : i64
// CHECK-SAME: srcStride0 = 1 : i64, srcStride1 = 1 : i64, srcStride2 = 8 : i64
// CHECK-NOT: yk_copy
// CHECK: npu.kernel "yk_gather"
func.func @main() -> (tensor<1x2x3x6x!u8>, tensor<1x2x3x!u8>) {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x2x8x!u8> loc("x")
  %w = compass.constant() {compass.tops = ["w"], weights = dense<[[0, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 6], [2, 3, 4, 5, 6, 7]]> : tensor<3x6xi32>} : () -> tensor<3x6xi32> loc("w")
  %s = compass.constant() {compass.tops = ["s"], weights = dense<[0, 1, 3]> : tensor<3xi32>} : () -> tensor<3xi32> loc("s")
  %y = compass.gather(%x, %w) {compass.tops = ["y"], axis = 2 : i64, batch_dims = 0 : i64} : (tensor<1x2x8x!u8>, tensor<3x6xi32>) -> tensor<1x2x3x6x!u8> loc("y")
  %z = compass.gather(%x, %s) {compass.tops = ["z"], axis = 2 : i64, batch_dims = 0 : i64} : (tensor<1x2x8x!u8>, tensor<3xi32>) -> tensor<1x2x3x!u8> loc("z")
  return %y, %z : tensor<1x2x3x6x!u8>, tensor<1x2x3x!u8>
}
