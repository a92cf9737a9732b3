// The network's input comes as pixels, in bands of rows: those of the next band are loaded while a band is computed.
// RUN: yarrow-opt %s --yarrow-lower --yarrow-plan-to-fit --yarrow-verify-plan | FileCheck %s
// RUN: sed 's/npu.machine/npu.disabled = ["input-bands"], npu.machine/' %s | yarrow-opt --yarrow-lower --yarrow-plan-to-fit | FileCheck %s --check-prefix=WHOLE

!i8 = !quant.uniform<i8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.copy"(%0{{.*}} size0 = 12288 {{.*}}
// CHECK: "npu.conv"
// CHECK: "npu.conv"
// CHECK: "npu.conv"
// CHECK: "npu.conv"
// WHOLE: "npu.copy"(%0{{.*}}npu.layer = 0
// WHOLE: "npu.conv"
// WHOLE-NOT: "npu.conv"
// WHOLE: return
module attributes {npu.machine = "{\"name\": \"m\", \"base\": \"X2_1204\"}"} {
  func.func @main() -> tensor<1x128x128x16x!i8> {
    %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x128x128x3x!i8> loc("x")
    %c = compass.convolution(%x) {compass.tops = ["c"], num_output = 16 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense<"0x0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f30"> : tensor<16x1x1x3xi8>, biases = dense<[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]> : tensor<16xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x128x128x3x!i8>) -> tensor<1x128x128x16x!i8> loc("c")
    return %c : tensor<1x128x128x16x!i8>
  }
}
