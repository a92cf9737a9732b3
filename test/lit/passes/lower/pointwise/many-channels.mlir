// A mask that is added to the scores of eight heads: of 16,384 neighbours each 16 are a pixel, although the heads alone
// would fill the array's pixels.
// RUN: yarrow-opt %s --yarrow-lower=target=Z2_1104 | FileCheck %s

!i8 = !quant.uniform<i8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK-NOT: npu.kernel
// CHECK: "npu.conv"
// CHECK-SAME: inChannels = 16
// CHECK-SAME: outHeight = 8
// CHECK-SAME: outWidth = 1024
// CHECK-NOT: npu.kernel
// CHECK: return
func.func @main() -> tensor<1x8x128x128x!i8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x8x128x128x!i8> loc("x")
  %m = compass.input() {compass.tops = ["m"], input_index = 1 : i64} : () -> tensor<1x1x128x128x!i8> loc("m")
  %y = compass.eltwise(%x, %m) {compass.tops = ["y"], method = "ADD", scale_value = array<i64: 1, 1, 3>, shift_value = array<i64: 1>} : (tensor<1x8x128x128x!i8>, tensor<1x1x128x128x!i8>) -> tensor<1x8x128x128x!i8> loc("y")
  return %y : tensor<1x8x128x128x!i8>
}
