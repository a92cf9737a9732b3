// Windows of three rows see one row of the tile before and one of the next: tiles of inputs
// overlap, and padding is at the ends alone.
// RUN: yarrow-opt %s --yarrow-lower | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.copy"
// CHECK: "npu.conv"{{.*}} inHeight = 33{{.*}} outHeight = 32{{.*}} padTop = 1
// CHECK: "npu.copy"{{.*}} size0 = 4352{{.*}} src = 3968 
// CHECK: "npu.conv"{{.*}} inHeight = 34{{.*}} outHeight = 32
// CHECK-NOT: padTop
// CHECK: "npu.copy"{{.*}} size0 = 4352{{.*}} src = 8064 
// CHECK: "npu.conv"
// CHECK: "npu.copy"{{.*}} size0 = 4224{{.*}} src = 12160 
// CHECK: "npu.conv"{{.*}} inHeight = 33{{.*}} outHeight = 32
module attributes {npu.machine = "{\"name\": \"m\", \"base\": \"X2_1204\", \"sramBytes\": 98304}"} {
  func.func @main() -> tensor<1x128x128x1x!u8> {
    %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x128x128x1x!u8> loc("x")
    %y = compass.convolution(%x) {compass.tops = ["y"], num_output = 1 : i64, kernel_x = 3 : i64, kernel_y = 3 : i64, dilation_x = 2 : i64, pad_left = 2 : i64, pad_right = 2 : i64, pad_top = 1 : i64, pad_bottom = 1 : i64, weights = dense<"0x010604020005030106"> : tensor<1x3x3x1xi8>, biases = dense<1> : tensor<1xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x128x128x1x!u8>) -> tensor<1x128x128x1x!u8> loc("y")
    return %y : tensor<1x128x128x1x!u8>
  }
}
