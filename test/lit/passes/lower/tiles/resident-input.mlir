// An input that stays in SRAM is read where it is: tiles need no copies of it.
// RUN: yarrow-opt %s --yarrow-lower | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: buffer_name = "a", region = 0 : i64, size_bytes = 16384
// CHECK: "npu.conv"
// CHECK: "npu.conv"{{.*}} input = 
// CHECK: return
module attributes {npu.machine = "{\"name\": \"m\", \"base\": \"X2_1204\", \"sramBytes\": 98304}"} {
  func.func @main() -> tensor<1x64x64x4x!u8> {
    %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x64x64x4x!u8> loc("x")
    %a = compass.convolution(%x) {compass.tops = ["a"], num_output = 4 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense<"0x01060402000503010604020005030106"> : tensor<4x1x1x4xi8>, biases = dense<[1, 2, 3, 4]> : tensor<4xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x64x64x4x!u8>) -> tensor<1x64x64x4x!u8> loc("a")
    %y = compass.convolution(%a) {compass.tops = ["y"], num_output = 4 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense<"0x01060402000503010604020005030106"> : tensor<4x1x1x4xi8>, biases = dense<[1, 2, 3, 4]> : tensor<4xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x64x64x4x!u8>) -> tensor<1x64x64x4x!u8> loc("y")
    return %y : tensor<1x64x64x4x!u8>
  }
}
