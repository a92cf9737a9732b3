// All functions of a Softmax multiply by ones and add nothing: they share these constants, as many as the longest has.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!i8 = !quant.uniform<i8:f32, 5.000000e-02>
!u8 = !quant.uniform<u8:f32, 3.906250e-03>

// CHECK-LABEL: func.func @npu_main
// CHECK: buffer_name = "y.ones", data = {{.*}} region = 1 :
// CHECK-NOT: buffer_name = "y.ones", data
// CHECK: npu.kernel{{.*}}yk_softmax_log
// CHECK: return
func.func @main() -> tensor<64x16x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<64x16x!i8> loc("x")
  %y = compass.softmax(%x) {compass.tops = ["y"], axis = 1 : i64, quantize_method = "FAST_EXP", input_scale_value = 500 : i64, input_shift_value = 13 : i64, pow2_out_q = 23 : i64, adjust_q = 1 : i64} : (tensor<64x16x!i8>) -> tensor<64x16x!u8> loc("y")
  return %y : tensor<64x16x!u8>
}
