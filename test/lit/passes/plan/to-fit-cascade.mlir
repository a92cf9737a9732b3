// Between two 3x3 convolutions lie 64 KiB, of 32 that there are: both are computed for some rows of the
// second one's result, then for the next rows. The second band's first layer begins two rows before
// where the first band's ended, less what padding gave: rows that both see are computed twice. Without
// cascades the tensor goes through DDR.
// RUN: yarrow-opt %s --yarrow-lower --yarrow-plan-to-fit --yarrow-verify-plan --yarrow-schedule --yarrow-verify-schedule | FileCheck %s
// RUN: yarrow-opt %s --yarrow-lower | FileCheck %s --check-prefix=ALONE

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK-NOT: buffer_name = "a",
// CHECK: "npu.conv"{{.*}} inHeight = [[#IN:]] {{.*}} outHeight = [[#A:]] {{.*}}npu.layer = 0
// CHECK: "npu.conv"{{.*}} inHeight = [[#A]] {{.*}} outHeight = [[#A - 1]] {{.*}}npu.layer = 1
// CHECK: "npu.conv"{{.*}} outHeight = [[#B:]] {{.*}}npu.layer = 0
// CHECK: "npu.conv"{{.*}} inHeight = [[#B]] {{.*}}npu.layer = 1
// ALONE: buffer_name = "a", region = 2
module attributes {npu.machine = "{\"name\": \"m\", \"base\": \"X2_1204\", \"sramBytes\": 98304}"} {
  func.func @main() -> tensor<1x64x64x1x!u8> {
    %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x64x64x1x!u8> loc("x")
    %a = compass.convolution(%x) {compass.tops = ["a"], num_output = 16 : i64, kernel_x = 3 : i64, kernel_y = 3 : i64, pad_left = 1 : i64, pad_right = 1 : i64, pad_top = 1 : i64, pad_bottom = 1 : i64, weights = dense<"0x010203040501020304050102030405010203040501020304050102030405010203040501020304050102030405010203040501020304050102030405010203040501020304050102030405010203040501020304050102030405010203040501020304050102030405010203040501020304050102030405010203040501020304050102030405010203040501020304"> : tensor<16x3x3x1xi8>, biases = dense<[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]> : tensor<16xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x64x64x1x!u8>) -> tensor<1x64x64x16x!u8> loc("a")
    %b = compass.convolution(%a) {compass.tops = ["b"], num_output = 1 : i64, kernel_x = 3 : i64, kernel_y = 3 : i64, pad_left = 1 : i64, pad_right = 1 : i64, pad_top = 1 : i64, pad_bottom = 1 : i64, weights = dense<"0x010203040501020304050102030405010203040501020304050102030405010203040501020304050102030405010203040501020304050102030405010203040501020304050102030405010203040501020304050102030405010203040501020304050102030405010203040501020304050102030405010203040501020304050102030405010203040501020304"> : tensor<1x3x3x16xi8>, biases = dense<1> : tensor<1xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x64x64x16x!u8>) -> tensor<1x64x64x1x!u8> loc("b")
    return %b : tensor<1x64x64x1x!u8>
  }
}
