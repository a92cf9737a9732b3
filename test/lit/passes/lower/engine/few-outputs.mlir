// Of one output channel the array has work for one of 16 lanes: 16 neighbours of a row are computed at once, as
// channels of a kernel of 18 columns, in steps of 16. They lie in the result as they did.
// RUN: yarrow-opt %s --yarrow-lower | FileCheck %s
// RUN: sed 's/npu.machine/npu.disabled = ["fold-columns"], npu.machine/' %s | yarrow-opt --yarrow-lower | FileCheck %s --check-prefix=PLAIN

!i8 = !quant.uniform<i8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.conv"
// CHECK-SAME: kernelY = 3
// CHECK-SAME: outChannels = 16
// CHECK-SAME: outPixelStride = 16
// CHECK-SAME: outRowStride = 64
// CHECK-SAME: outWidth = 4
// CHECK-SAME: strideX = 16
// PLAIN: "npu.conv"
// PLAIN-SAME: outChannels = 1
// PLAIN-SAME: outWidth = 64
module attributes {npu.machine = "{\"name\": \"m\", \"base\": \"X2_1204\"}"} {
  func.func @main() -> tensor<1x62x64x1x!i8> {
    %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x64x66x4x!i8> loc("x")
    %y = compass.convolution(%x) {compass.tops = ["y"], num_output = 1 : i64, kernel_x = 3 : i64, kernel_y = 3 : i64, weights = dense<"0x0102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F2021222324"> : tensor<1x3x3x4xi8>, biases = dense<[7]> : tensor<1xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 9>} : (tensor<1x64x66x4x!i8>) -> tensor<1x62x64x1x!i8> loc("y")
    return %y : tensor<1x62x64x1x!i8>
  }
}
