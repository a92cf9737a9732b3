// A result that does not fit the SRAM is joined there in bands of rows, each stored as a whole: one branch is
// requantized by the engine on its way into the band, the other is loaded into its place.
// RUN: yarrow-opt %s --yarrow-lower | FileCheck %s

!i8 = !quant.uniform<i8:f32, 5.000000e-02>
!i8w = !quant.uniform<i8:f32, 1.000000e-01>

// CHECK-LABEL: func.func @npu_main
// CHECK-NOT: npu.kernel
// CHECK: "npu.conv"(%{{[0-9]+}}, {{.*}}, %[[BAND:[0-9]+]])
// CHECK-SAME: outChannels = 24
// CHECK-SAME: outPixelStride = 40
// CHECK: "npu.copy"(%1, %[[BAND]]) <{dst = 24
// CHECK-SAME: dstStride1 = 40
// CHECK-SAME: size0 = 16
// CHECK: "npu.copy"(%[[BAND]], %2)
// CHECK-SAME: DMA store
// CHECK-NOT: npu.kernel
// CHECK: return
module attributes {npu.machine = "{\"name\": \"m\", \"base\": \"Z1_0701\"}"} {
  func.func @main() -> tensor<1x96x96x40x!i8> {
    %a = compass.input() {compass.tops = ["a"]} : () -> tensor<1x96x96x24x!i8w> loc("a")
    %b = compass.input() {compass.tops = ["b"], input_index = 1 : i64} : () -> tensor<1x96x96x16x!i8> loc("b")
    %y = compass.concat(%a, %b) {compass.tops = ["y"], axis = 3 : i64, scale_value = array<i64: 1, 1>, shift_value = array<i64: 1, 0>} : (tensor<1x96x96x24x!i8w>, tensor<1x96x96x16x!i8>) -> tensor<1x96x96x40x!i8> loc("y")
    return %y : tensor<1x96x96x40x!i8>
  }
}
