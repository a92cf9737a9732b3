// Of 7 * 7 cells of 16 bits a reciprocal needs more than 16 bits to be exact for all sums.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!i16 = !quant.uniform<i16:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.pool"
// CHECK-SAME: wideScale = 1
func.func @main() -> tensor<1x1x1x2x!i16> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x7x7x2x!i16> loc("x")
  %y = compass.pooling(%x) {compass.tops = ["y"], method = "AVG", kernel_x = 7 : i64, kernel_y = 7 : i64, average_rounding = "HALF_AWAY"} : (tensor<1x7x7x2x!i16>) -> tensor<1x1x1x2x!i16> loc("y")
  return %y : tensor<1x1x1x2x!i16>
}
