// Of rows that a core has in SRAM, a kernel's columns become channels as of an image: the second core's rows begin where
// its own bytes of them begin, not where its part of the whole tensor would.
// RUN: yarrow-opt %s --yarrow-lower --yarrow-plan-to-fit --yarrow-verify-plan | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: npu.cores {
// CHECK: }, {
// CHECK: "npu.copy"{{.*}} <{dst = 1 {{.*}} dstStride1 = 18 {{.*}} size0 = 16 {{.*}} size1 = 17 {{.*}} size4 = 1 : i64, srcStride0 = 1 : i64, srcStride1 = 16 
// CHECK: "npu.conv"{{.*}} inChannels = 3 {{.*}} inRowStride = 18 {{.*}} outHeight = 16 
module attributes {npu.machine = "{\"name\": \"m\", \"base\": \"X2_1204\", \"cores\": 2, \"sramBytes\": 262144, \"macArray\": {\"inputLanes\": 4, \"outputLanes\": 4, \"pixels\": 2}, \"ddrBytesPerCycle\": 128}"} {
  func.func @main() -> tensor<1x32x16x4x!u8> {
    %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x32x16x4x!u8> loc("x")
    %a = compass.convolution(%x) {compass.tops = ["a"], num_output = 1 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense<"0x00010203"> : tensor<1x1x1x4xi8>, biases = dense<[1]> : tensor<1xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x32x16x4x!u8>) -> tensor<1x32x16x1x!u8> loc("a")
    %y = compass.convolution(%a) {compass.tops = ["y"], num_output = 4 : i64, kernel_x = 3 : i64, kernel_y = 3 : i64, pad_left = 1 : i64, pad_right = 1 : i64, pad_top = 1 : i64, pad_bottom = 1 : i64, weights = dense<"0x000102030405060001020304050600010203040506000102030405060001020304050600"> : tensor<4x3x3x1xi8>, biases = dense<[1, 2, 3, 4]> : tensor<4xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x32x16x1x!u8>) -> tensor<1x32x16x4x!u8> loc("y")
    return %y : tensor<1x32x16x4x!u8>
  }
}
