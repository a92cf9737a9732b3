// A row of ones is an operand of 8 bits, for whose sums the accumulators have 32: 65,536 terms of 16 bits of a
// channel are the TECs', 32,767 fit. Of neighbouring terms, which are the first operand, sums have 48.
// RUN: yarrow-opt %s --split-input-file --yarrow-lower=target=X2_1204 | FileCheck %s

!i16 = !quant.uniform<i16:f32, 1.000000e-03>

// CHECK-LABEL: func.func @npu_main
// CHECK-NOT: "npu.matmul"
// CHECK: npu.kernel{{.*}}yk_reduce_int
func.func @main() -> tensor<1x1x2x!i16> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x65536x2x!i16> loc("x")
  %y = compass.reduce(%x) {compass.tops = ["y"], method = "MEAN", axis = array<i64: 1>, scale_value = array<i64: 1>, shift_value = array<i64: 16>} : (tensor<1x65536x2x!i16>) -> tensor<1x1x2x!i16> loc("y")
  return %y : tensor<1x1x2x!i16>
}

// -----

!i16 = !quant.uniform<i16:f32, 1.000000e-03>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.matmul"
// CHECK-SAME: inner = 32767
// CHECK-NOT: npu.kernel
func.func @main() -> tensor<1x1x2x!i16> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x32767x2x!i16> loc("x")
  %y = compass.reduce(%x) {compass.tops = ["y"], method = "MEAN", axis = array<i64: 1>, scale_value = array<i64: 1>, shift_value = array<i64: 16>} : (tensor<1x32767x2x!i16>) -> tensor<1x1x2x!i16> loc("y")
  return %y : tensor<1x1x2x!i16>
}

// -----

!i16 = !quant.uniform<i16:f32, 1.000000e-03>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.matmul"
// CHECK-SAME: inner = 65536
// CHECK-NOT: npu.kernel
func.func @main() -> tensor<2x1x!i16> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<2x65536x!i16> loc("x")
  %y = compass.reduce(%x) {compass.tops = ["y"], method = "MEAN", axis = array<i64: 1>, scale_value = array<i64: 1>, shift_value = array<i64: 16>} : (tensor<2x65536x!i16>) -> tensor<2x1x!i16> loc("y")
  return %y : tensor<2x1x!i16>
}
