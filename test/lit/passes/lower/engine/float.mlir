// Float layers run on the TECs.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

// CHECK-LABEL: func.func @npu_main
// CHECK-NOT: "npu.conv"
// CHECK: npu.kernel{{.*}}yk_conv2d_float
// CHECK-NOT: "npu.conv"
// CHECK: return
func.func @main() -> tensor<1x4x4x4xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x4x2xf32> loc("x")
  %y = compass.convolution(%x) {compass.tops = ["y"], num_output = 4 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense<"0x000000000000003F0000803F0000C03F00000040000020400000404000006040"> : tensor<4x1x1x2xf32>, biases = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>} : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x4xf32> loc("y")
  return %y : tensor<1x4x4x4xf32>
}
