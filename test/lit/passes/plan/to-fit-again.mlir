// Of 32 KiB a, b and c, of 12 KiB each, take up 24 at a time; but what lives longer leaves
// them only gaps. With less SRAM for tensors that stay, b goes through DDR, and all fits (without
// cascades, which need b in parts only).
// RUN: not yarrow-opt %s --yarrow-lower --yarrow-plan 2>&1 | FileCheck %s --check-prefix=FIRST
// RUN: yarrow-opt %s --yarrow-lower --yarrow-plan-to-fit --yarrow-verify-plan | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// FIRST: error E0601: the buffers do not fit the SRAM
// CHECK: buffer_name = "a", region = 0
// CHECK: buffer_name = "b", region = 2
// CHECK: buffer_name = "c", region = 0
module attributes {npu.disabled = ["cascade"], npu.machine = "{\"name\": \"m\", \"base\": \"X2_1204\", \"sramBytes\": 98304}"} {
  func.func @main() -> tensor<1x64x64x2x!u8> {
    %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x64x64x1x!u8> loc("x")
    %a = compass.convolution(%x) {compass.tops = ["a"], num_output = 3 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense<"0x010604"> : tensor<3x1x1x1xi8>, biases = dense<[1, 2, 3]> : tensor<3xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x64x64x1x!u8>) -> tensor<1x64x64x3x!u8> loc("a")
    %b = compass.convolution(%a) {compass.tops = ["b"], num_output = 3 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense<"0x010604020005030106"> : tensor<3x1x1x3xi8>, biases = dense<[1, 2, 3]> : tensor<3xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x64x64x3x!u8>) -> tensor<1x64x64x3x!u8> loc("b")
    %c = compass.convolution(%b) {compass.tops = ["c"], num_output = 3 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense<"0x010604020005030106"> : tensor<3x1x1x3xi8>, biases = dense<[1, 2, 3]> : tensor<3xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x64x64x3x!u8>) -> tensor<1x64x64x3x!u8> loc("c")
    %d = compass.convolution(%c) {compass.tops = ["d"], num_output = 1 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense<"0x010604"> : tensor<1x1x1x3xi8>, biases = dense<1> : tensor<1xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x64x64x3x!u8>) -> tensor<1x64x64x1x!u8> loc("d")
    %e = compass.convolution(%d) {compass.tops = ["e"], num_output = 1 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense<1> : tensor<1x1x1x1xi8>, biases = dense<1> : tensor<1xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x64x64x1x!u8>) -> tensor<1x64x64x1x!u8> loc("e")
    %y = compass.concat(%d, %e) {compass.tops = ["y"], axis = 3 : i64, scale_value = array<i64: 1, 1>, shift_value = array<i64: 0, 0>} : (tensor<1x64x64x1x!u8>, tensor<1x64x64x1x!u8>) -> tensor<1x64x64x2x!u8> loc("y")
    return %y : tensor<1x64x64x2x!u8>
  }
}
