// No two places are alike: a product for each row, of both rows below as they lie.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!t = !quant.uniform<i8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK-NOT: "npu.conv"
// CHECK-COUNT-16: "npu.matmul"
// CHECK-NOT: "npu.matmul"
// CHECK-NOT: npu.kernel
// CHECK: return
func.func @main() -> tensor<1x16x16x64x!t> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x8x8x64x!t> loc("x")
  %y = compass.resize(%x) {compass.tops = ["y"], size = array<i64: 1, 16, 16, 64>, method = "BILINEAR", mode = "ALIGN_CORNERS"} : (tensor<1x8x8x64x!t>) -> tensor<1x16x16x64x!t> loc("y")
  return %y : tensor<1x16x16x64x!t>
}
