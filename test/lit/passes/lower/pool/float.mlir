// Float layers run on the TECs.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

// CHECK-LABEL: func.func @npu_main
// CHECK-NOT: "npu.pool"
// CHECK: npu.kernel{{.*}}yk_pool_float
// CHECK-NOT: "npu.pool"
// CHECK: return
func.func @main() -> tensor<1x2x2x2xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x4x2xf32> loc("x")
  %y = compass.pooling(%x) {compass.tops = ["y"], method = "MAX", kernel_x = 2 : i64, kernel_y = 2 : i64, stride_x = 2 : i64, stride_y = 2 : i64} : (tensor<1x4x4x2xf32>) -> tensor<1x2x2x2xf32> loc("y")
  return %y : tensor<1x2x2x2xf32>
}
