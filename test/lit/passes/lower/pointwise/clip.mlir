// Two roundings of CLIP behind a function of two tensors are none of the output stage's: the TECs have them.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK-NOT: "npu.conv"
// CHECK: npu.kernel{{.*}}yk_eltwise_int
func.func @main() -> tensor<1x4x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x!u8> loc("x")
  %y = compass.eltwise(%x, %x) {compass.tops = ["y"], method = "MUL", scale_value = array<i64: 1>, shift_value = array<i64: 4>, with_activation = "CLIP", clip_min = 0 : i64, clip_max = 255 : i64} : (tensor<1x4x!u8>, tensor<1x4x!u8>) -> tensor<1x4x!u8> loc("y")
  return %y : tensor<1x4x!u8>
}
