// A mean over an image is a product with ones; one of outputs between others is the TECs'.
// RUN: yarrow-opt %s --split-input-file --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.matmul"
// CHECK-SAME: columns = 16
// CHECK-SAME: inner = 20
// CHECK-SAME: rows = 1
// CHECK-NOT: npu.kernel
func.func @main() -> tensor<1x1x1x16x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x5x16x!u8> loc("x")
  %y = compass.reduce(%x) {compass.tops = ["y"], method = "MEAN", axis = array<i64: 1, 2>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x4x5x16x!u8>) -> tensor<1x1x1x16x!u8> loc("y")
  return %y : tensor<1x1x1x16x!u8>
}

// -----

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK-NOT: "npu.matmul"
// CHECK: npu.kernel{{.*}}yk_reduce_int
func.func @main() -> tensor<1x1x5x1x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x5x16x!u8> loc("x")
  %y = compass.reduce(%x) {compass.tops = ["y"], method = "MEAN", axis = array<i64: 1, 3>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x4x5x16x!u8>) -> tensor<1x1x5x1x!u8> loc("y")
  return %y : tensor<1x1x5x1x!u8>
}

// -----

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// Of an image that SRAM has no room for, sums of parts, which the TECs add up.
// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.matmul"
// CHECK-SAME: columns = 64
// CHECK-SAME: outType = #npu.element_type<int32>
// CHECK: "npu.matmul"
// CHECK: npu.kernel{{.*}}yk_reduce_int
// CHECK-NOT: "npu.matmul"
func.func @main() -> tensor<1x1x1x64x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x512x512x64x!u8> loc("x")
  %y = compass.reduce(%x) {compass.tops = ["y"], method = "MEAN", axis = array<i64: 1, 2>, scale_value = array<i64: 1>, shift_value = array<i64: 18>} : (tensor<1x512x512x64x!u8>) -> tensor<1x1x1x64x!u8> loc("y")
  return %y : tensor<1x1x1x64x!u8>
}
