// F(4,3) is no mode of the engine: four convolutions along the width.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK-COUNT-4: "npu.conv"{{.*}} strideX = 4
// CHECK-NOT: "npu.conv"
// CHECK: return
func.func @main() -> tensor<1x1x4x1x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x3x6x1x!u8> loc("x")
  %y = compass.convolution(%x) {compass.tops = ["y"], num_output = 1 : i64, kernel_x = 6 : i64, kernel_y = 3 : i64, weights = dense<"0x010604020005030106040200050301060402"> : tensor<1x3x6x1xi8>, biases = dense<1> : tensor<1xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>, with_winograd = true, Fmnrs = array<i64: 4, 3>, stride_x = 4 : i64, stride_y = 1 : i64} : (tensor<1x3x6x1x!u8>) -> tensor<1x1x4x1x!u8> loc("y")
  return %y : tensor<1x1x4x1x!u8>
}
