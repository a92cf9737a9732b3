// Halves away from zero: reciprocals a little above 1 / area, of 16 bits for 7 * 7 cells of
// bytes. Zero points of such a mean cancel out.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!i8 = !quant.uniform<i8:f32, 5.000000e-02:3>

// CHECK-LABEL: func.func @npu_main
// CHECK: buffer_name = "y.reciprocals", region = 0 : i64, size_bytes = 196
// CHECK: "npu.pool"
// CHECK-NOT: ZeroPoint
// CHECK-NOT: wideScale
// CHECK: return
func.func @main() -> tensor<1x1x1x2x!i8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x7x7x2x!i8> loc("x")
  %y = compass.pooling(%x) {compass.tops = ["y"], method = "AVG", kernel_x = 7 : i64, kernel_y = 7 : i64, average_rounding = "HALF_AWAY"} : (tensor<1x7x7x2x!i8>) -> tensor<1x1x1x2x!i8> loc("y")
  return %y : tensor<1x1x1x2x!i8>
}
