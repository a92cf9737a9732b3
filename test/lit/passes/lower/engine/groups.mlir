// Groups of channels are counted by the command.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.conv"
// CHECK-NOT: depthwise
// CHECK-SAME: groups = 2
// CHECK-SAME: inChannels = 4
// CHECK-SAME: outChannels = 6
func.func @main() -> tensor<1x4x4x6x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x4x4x!u8> loc("x")
  %y = compass.convolution(%x) {compass.tops = ["y"], num_output = 6 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, group = 2 : i64, weights = dense<"0x010604020005030106040200"> : tensor<6x1x1x2xi8>, biases = dense<"0x010000000200000003000000040000000500000006000000"> : tensor<6xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x4x4x4x!u8>) -> tensor<1x4x4x6x!u8> loc("y")
  return %y : tensor<1x4x4x6x!u8>
}
