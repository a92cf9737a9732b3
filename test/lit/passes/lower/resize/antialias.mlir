// With antialiasing pixels see more than two by two others.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!t = !quant.uniform<i8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK-NOT: "npu.conv"
// CHECK: npu.kernel{{.*}}yk_resize_int
func.func @main() -> tensor<1x8x8x32x!t> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x16x16x32x!t> loc("x")
  %y = compass.resize(%x) {compass.tops = ["y"], size = array<i64: 1, 8, 8, 32>, method = "BILINEAR", mode = "HALF_PIXEL", antialias = true} : (tensor<1x16x16x32x!t>) -> tensor<1x8x8x32x!t> loc("y")
  return %y : tensor<1x8x8x32x!t>
}
