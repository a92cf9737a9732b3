// Where two tensors do not fit together, the one with the shorter life stays: it blocks
// the SRAM for fewer layers.
// RUN: yarrow-opt %s --yarrow-lower | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK-DAG: buffer_name = "long", region = 2
// CHECK-DAG: buffer_name = "short", region = 0
// CHECK: return
module attributes {npu.machine = "{\"name\": \"m\", \"base\": \"X2_1204\", \"sramBytes\": 98304}"} {
  func.func @main() -> tensor<1x2x1x2x!u8> {
    %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x128x64x2x!u8> loc("x")
    %long = compass.convolution(%x) {compass.tops = ["long"], num_output = 2 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense<"0x01060402"> : tensor<2x1x1x2xi8>, biases = dense<[1, 2]> : tensor<2xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x128x64x2x!u8>) -> tensor<1x128x64x2x!u8> loc("long")
    %short = compass.convolution(%long) {compass.tops = ["short"], num_output = 2 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense<"0x01060402"> : tensor<2x1x1x2xi8>, biases = dense<[1, 2]> : tensor<2xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x128x64x2x!u8>) -> tensor<1x128x64x2x!u8> loc("short")
    %b = compass.convolution(%short) {compass.tops = ["b"], num_output = 2 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, stride_x = 100 : i64, stride_y = 100 : i64, weights = dense<"0x01060402"> : tensor<2x1x1x2xi8>, biases = dense<[1, 2]> : tensor<2xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x128x64x2x!u8>) -> tensor<1x2x1x2x!u8> loc("b")
    %c = compass.convolution(%long) {compass.tops = ["c"], num_output = 2 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, stride_x = 100 : i64, stride_y = 100 : i64, weights = dense<"0x01060402"> : tensor<2x1x1x2xi8>, biases = dense<[1, 2]> : tensor<2xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x128x64x2x!u8>) -> tensor<1x2x1x2x!u8> loc("c")
    %y = compass.eltwise(%b, %c) {compass.tops = ["y"], scale_value = array<i64: 1, 1, 1>, shift_value = array<i64: 1>} : (tensor<1x2x1x2x!u8>, tensor<1x2x1x2x!u8>) -> tensor<1x2x1x2x!u8> loc("y")
    return %y : tensor<1x2x1x2x!u8>
  }
}
