// Between pixels and at the borders: three kinds of places in each direction, the
// first and the last one in one command. Weights are those of the kernel, less the
// power of two that they share: 9/16, 3/16 and 1/16.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!t = !quant.uniform<i8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK-COUNT-9: "npu.conv"{{.*}}depthwise = 1
// CHECK-NOT: "npu.conv"
// CHECK-NOT: npu.kernel
// CHECK: return
func.func @main() -> tensor<1x16x16x32x!t> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x8x8x32x!t> loc("x")
  %y = compass.resize(%x) {compass.tops = ["y"], size = array<i64: 1, 16, 16, 32>, method = "BILINEAR", mode = "HALF_PIXEL"} : (tensor<1x8x8x32x!t>) -> tensor<1x16x16x32x!t> loc("y")
  return %y : tensor<1x16x16x32x!t>
}
