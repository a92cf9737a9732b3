// Of 199 cells of 16 bits no reciprocal of 24 bits is exact for all sums: a TEC divides.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!i16 = !quant.uniform<i16:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK-NOT: "npu.pool"
// CHECK: npu.kernel{{.*}}yk_pool_int
func.func @main() -> tensor<1x1x1x2x!i16> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x199x1x2x!i16> loc("x")
  %y = compass.pooling(%x) {compass.tops = ["y"], method = "AVG", kernel_x = 1 : i64, kernel_y = 199 : i64, average_rounding = "HALF_AWAY"} : (tensor<1x199x1x2x!i16>) -> tensor<1x1x1x2x!i16> loc("y")
  return %y : tensor<1x1x1x2x!i16>
}
