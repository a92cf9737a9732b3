// A layer that does not fit the SRAM is cut into tiles of rows: each is loaded,
// computed and stored, and nothing of it stays.
// RUN: yarrow-opt %s --yarrow-lower=target=Z1_0701 | FileCheck %s
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s --check-prefix=WHOLE

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: npu.copy
// CHECK: npu.pool
// CHECK: npu.copy
// CHECK: npu.copy
// CHECK: npu.pool
// CHECK: npu.copy
// WHOLE-LABEL: func.func @npu_main
// WHOLE-COUNT-1: npu.pool
// WHOLE-NOT: npu.pool
func.func @main() -> tensor<1x64x64x64x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x128x128x64x!u8>
  %y = compass.pooling(%x) {compass.tops = ["y"], kernel_x = 2 : i64, kernel_y = 2 : i64, stride_x = 2 : i64, stride_y = 2 : i64} : (tensor<1x128x128x64x!u8>) -> tensor<1x64x64x64x!u8>
  return %y : tensor<1x64x64x64x!u8>
}
