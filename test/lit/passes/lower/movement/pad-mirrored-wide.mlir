// A border of three is copied backwards from the tensor in one piece at each side: nine copies, as of a border of one.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK-NOT: yk_pad
// CHECK: "npu.pool"({{.*}}, %[[X:[0-9]+]])
// CHECK: "npu.copy"(%[[X]]{{.*}} srcStride1 = -16{{.*}} srcStride2 = -64
// CHECK-COUNT-8: "npu.copy"(%[[X]], %{{[0-9]+}}) <{
// CHECK-NOT: "npu.copy"(%[[X]]
// CHECK: return
func.func @main() -> tensor<1x5x5x16x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x8x8x16x!u8> loc("x")
  %m = compass.pooling(%x) {compass.tops = ["m"], method = "MAX", kernel_x = 2 : i64, kernel_y = 2 : i64, stride_x = 2 : i64, stride_y = 2 : i64} : (tensor<1x8x8x16x!u8>) -> tensor<1x4x4x16x!u8> loc("m")
  %p = compass.pad(%m) {compass.tops = ["p"], mode = "REFLECT", pads = [array<i64: 0, 0>, array<i64: 3, 3>, array<i64: 3, 3>, array<i64: 0, 0>]} : (tensor<1x4x4x16x!u8>) -> tensor<1x10x10x16x!u8> loc("p")
  %y = compass.pooling(%p) {compass.tops = ["y"], method = "MAX", kernel_x = 2 : i64, kernel_y = 2 : i64, stride_x = 2 : i64, stride_y = 2 : i64} : (tensor<1x10x10x16x!u8>) -> tensor<1x5x5x16x!u8> loc("y")
  return %y : tensor<1x5x5x16x!u8>
}
