// If not even one row of one channel fits, the TECs compute the layer.
// RUN: yarrow-opt %s --yarrow-lower | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK-NOT: "npu.conv"
// CHECK: npu.kernel{{.*}}yk_conv2d_int
// CHECK-NOT: "npu.conv"
// CHECK: return
module attributes {npu.machine = "{\"name\": \"m\", \"base\": \"X2_1204\", \"sramBytes\": 98304}"} {
  func.func @main() -> tensor<1x1x32768x1x!u8> {
    %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x1x32768x1x!u8> loc("x")
    %y = compass.convolution(%x) {compass.tops = ["y"], num_output = 1 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense<3> : tensor<1x1x1x1xi8>, biases = dense<1> : tensor<1xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x1x32768x1x!u8>) -> tensor<1x1x32768x1x!u8> loc("y")
    return %y : tensor<1x1x32768x1x!u8>
  }
}
