// Pixels of one channel: columns side by side are the channels of one pixel.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!t = !quant.uniform<i8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.conv"
// CHECK-NOT: depthwise = 1
// CHECK-NOT: npu.kernel
// CHECK: return
func.func @main() -> tensor<1x64x64x1x!t> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x32x32x1x!t> loc("x")
  %y = compass.resize(%x) {compass.tops = ["y"], size = array<i64: 1, 64, 64, 1>, method = "BILINEAR", mode = "HALF_PIXEL"} : (tensor<1x32x32x1x!t>) -> tensor<1x64x64x1x!t> loc("y")
  return %y : tensor<1x64x64x1x!t>
}
