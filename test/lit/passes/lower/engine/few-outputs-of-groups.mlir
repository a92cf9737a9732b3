// Neighbours of a row would have to see all channels: groups stay as they are, also of one output channel.
// RUN: yarrow-opt %s --yarrow-lower | FileCheck %s

!i8 = !quant.uniform<i8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.conv"
// CHECK-SAME: groups = 2
// CHECK-SAME: outChannels = 2
// CHECK-SAME: outWidth = 64
module attributes {npu.machine = "{\"name\": \"m\", \"base\": \"X2_1204\"}"} {
  func.func @main() -> tensor<1x62x64x2x!i8> {
    %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x64x66x4x!i8> loc("x")
    %y = compass.convolution(%x) {compass.tops = ["y"], num_output = 2 : i64, group = 2 : i64, kernel_x = 3 : i64, kernel_y = 3 : i64, weights = dense<"0x0102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F2021222324"> : tensor<2x3x3x2xi8>, biases = dense<[7, 5]> : tensor<2xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 9>} : (tensor<1x64x66x4x!i8>) -> tensor<1x62x64x2x!i8> loc("y")
    return %y : tensor<1x62x64x2x!i8>
  }
}
