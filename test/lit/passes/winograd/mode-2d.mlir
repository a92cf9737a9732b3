// F(2x2,3x3) is a mode of the engine: one command with a window of 3x3 and stride 1, 16 products
// for a tile of 4 results.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK: macs = 16 : i64{{.*}} type = "Convolution (winograd)"
// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.conv"
// CHECK-SAME: kernelX = 3 : i64, kernelY = 3
// CHECK-SAME: outHeight = 2
// CHECK-SAME: strideX = 1 : i64, strideY = 1
// CHECK-SAME: winograd = #npu.winograd_mode<"f(2x2,3x3)">
// CHECK-NOT: "npu.conv"
// CHECK: return
func.func @main() -> tensor<1x2x2x1x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x4x1x!u8> loc("x")
  %y = compass.convolution(%x) {compass.tops = ["y"], num_output = 1 : i64, kernel_x = 4 : i64, kernel_y = 4 : i64, stride_x = 2 : i64, stride_y = 2 : i64, weights = dense<"0x01060402000503010604020005030106"> : tensor<1x4x4x1xi8>, biases = dense<1> : tensor<1xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>, with_winograd = true, Fmnrs = array<i64: 2, 2, 3, 3>} : (tensor<1x4x4x1x!u8>) -> tensor<1x2x2x1x!u8> loc("y")
  return %y : tensor<1x2x2x1x!u8>
}
