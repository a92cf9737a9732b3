// A layer on its way through the phases after quantization.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s --check-prefixes=CHECK,LOWER
// RUN: yarrow-opt %s --yarrow-lower --yarrow-plan | FileCheck %s --check-prefixes=CHECK,PLAN
// RUN: yarrow-opt %s --yarrow-lower --yarrow-plan --yarrow-schedule | FileCheck %s --check-prefixes=CHECK,SCHEDULE

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK: npu.layers = [{{.*}}type = "Pooling"
// CHECK: func.func @npu_main
// LOWER-NOT: address =
// PLAN: npu.buffer {address = 0
// CHECK: npu.copy
// CHECK: npu.pool
// SCHEDULE-SAME: waits = array<i64
// CHECK: npu.copy
func.func @main() -> tensor<1x2x2x16x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x4x16x!u8>
  %p = compass.pooling(%x) {compass.tops = ["y"], kernel_x = 2 : i64, kernel_y = 2 : i64, stride_x = 2 : i64, stride_y = 2 : i64} : (tensor<1x4x4x16x!u8>) -> tensor<1x2x2x16x!u8>
  return %p : tensor<1x2x2x16x!u8>
}
