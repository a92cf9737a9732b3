// Scores behind a constant mask are a minimum on the tensor engine: the mask is stored as values beyond all scores,
// above where they are kept and below elsewhere. A constant within the result's range is chosen by the TECs.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!i8 = !quant.uniform<i8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.conv"
// CHECK-SAME: sumOp = #npu.sum_op<min>
// CHECK-NOT: yk_eltwise_int
// CHECK: npu.kernel "yk_where"
func.func @main() -> (tensor<1x4x2x2x!i8>, tensor<1x4x2x2x!i8>) {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x2x2x!i8> loc("x")
  %m = compass.constant() {compass.tops = ["m"], weights = dense<[[[[1, 0], [1, 1]]]]> : tensor<1x1x2x2xui8>} : () -> tensor<1x1x2x2xui8> loc("m")
  %c = compass.constant() {compass.tops = ["c"], weights = dense<-128> : tensor<1xi8>} : () -> tensor<1x!i8> loc("c")
  %d = compass.constant() {compass.tops = ["d"], weights = dense<5> : tensor<1xi8>} : () -> tensor<1x!i8> loc("d")
  %y = compass.where(%m, %x, %c) {compass.tops = ["y"], scale_value = array<i64: 1, 1>, shift_value = array<i64: 0, 0>} : (tensor<1x1x2x2xui8>, tensor<1x4x2x2x!i8>, tensor<1x!i8>) -> tensor<1x4x2x2x!i8> loc("y")
  %z = compass.where(%m, %x, %d) {compass.tops = ["z"], scale_value = array<i64: 1, 1>, shift_value = array<i64: 0, 0>} : (tensor<1x1x2x2xui8>, tensor<1x4x2x2x!i8>, tensor<1x!i8>) -> tensor<1x4x2x2x!i8> loc("z")
  return %y, %z : tensor<1x4x2x2x!i8>, tensor<1x4x2x2x!i8>
}
