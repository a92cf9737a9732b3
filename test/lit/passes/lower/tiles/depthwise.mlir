// A depthwise layer can be cut into channels that share nothing: a tile loads its own
// channels of the input, pixel by pixel.
// RUN: yarrow-opt %s --yarrow-lower | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.copy"{{.*}} dstStride1 = 2 {{.*}}size0 = 2 : i64, size1 = 2048{{.*}} srcStride1 = 16
// CHECK: "npu.conv"
// CHECK-SAME: depthwise = 1
// CHECK-SAME: inChannels = 2
// CHECK-SAME: outChannels = 2
module attributes {npu.machine = "{\"name\": \"m\", \"base\": \"X2_1204\", \"sramBytes\": 98304}"} {
  func.func @main() -> tensor<1x1x2048x16x!u8> {
    %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x1x2048x16x!u8> loc("x")
    %y = compass.depthwise_conv(%x) {compass.tops = ["y"], num_output = 16 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense<"0x01060402000503010604020005030106"> : tensor<16x1x1x1xi8>, biases = dense<"0x0100000002000000030000000400000005000000060000000700000008000000090000000A0000000B0000000C0000000D0000000E0000000F00000010000000"> : tensor<16xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x1x2048x16x!u8>) -> tensor<1x1x2048x16x!u8> loc("y")
    return %y : tensor<1x1x2048x16x!u8>
  }
}
