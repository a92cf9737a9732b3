// A module that fits as it is lowered is not lowered again: its tensor stays in SRAM.
// RUN: yarrow-opt %s --yarrow-lower --yarrow-plan-to-fit --yarrow-verify-plan | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK: buffer_name = "a", region = 0
module attributes {npu.machine = "{\"name\": \"m\", \"base\": \"X2_1204\", \"sramBytes\": 98304}"} {
  func.func @main() -> tensor<1x4x4x2x!u8> {
    %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x4x2x!u8> loc("x")
    %a = compass.convolution(%x) {compass.tops = ["a"], num_output = 2 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense<"0x01060402"> : tensor<2x1x1x2xi8>, biases = dense<[1, 2]> : tensor<2xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x4x4x2x!u8>) -> tensor<1x4x4x2x!u8> loc("a")
    %y = compass.convolution(%a) {compass.tops = ["y"], num_output = 2 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense<"0x01060402"> : tensor<2x1x1x2xi8>, biases = dense<[1, 2]> : tensor<2xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x4x4x2x!u8>) -> tensor<1x4x4x2x!u8> loc("y")
    return %y : tensor<1x4x4x2x!u8>
  }
}
