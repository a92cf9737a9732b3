// A residual is cut as the output is: a part for each tile.
// RUN: yarrow-opt %s --yarrow-lower | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK-COUNT-4: buffer_name = "c.residual", region = 0 : i64, size_bytes = 4096
// CHECK-NOT: buffer_name = "c.residual"
// CHECK: "npu.conv"
// CHECK-SAME: hasResidual = 1
module attributes {npu.machine = "{\"name\": \"m\", \"base\": \"X2_1204\", \"sramBytes\": 98304}"} {
  func.func @main() -> tensor<1x128x64x2x!u8> {
    %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x128x64x2x!u8> loc("x")
    %z = compass.input() {compass.tops = ["z"], input_index = 1 : i64} : () -> tensor<1x128x64x2x!u8> loc("z")
    %c = compass.convolution(%x) {compass.tops = ["c"], num_output = 2 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense<"0x01060402"> : tensor<2x1x1x2xi8>, biases = dense<[1, 2]> : tensor<2xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x128x64x2x!u8>) -> tensor<1x128x64x2x!u8> loc("c")
    %y = compass.eltwise(%c, %z) {compass.tops = ["y"], scale_value = array<i64: 1, 1, 1>, shift_value = array<i64: 1>} : (tensor<1x128x64x2x!u8>, tensor<1x128x64x2x!u8>) -> tensor<1x128x64x2x!u8> loc("y")
    return %y : tensor<1x128x64x2x!u8>
  }
}
