// A few pixels are made sooner by the TECs than by commands.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!t = !quant.uniform<i8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK-NOT: "npu.conv"
// CHECK: npu.kernel{{.*}}yk_resize_int
func.func @main() -> tensor<1x4x1x1x!t> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x3x1x1x!t> loc("x")
  %y = compass.resize(%x) {compass.tops = ["y"], size = array<i64: 1, 4, 1, 1>, method = "BILINEAR", mode = "ALIGN_CORNERS"} : (tensor<1x3x1x1x!t>) -> tensor<1x4x1x1x!t> loc("y")
  return %y : tensor<1x4x1x1x!t>
}
