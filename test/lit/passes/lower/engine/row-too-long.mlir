// A command has 16 bits for the columns of its input: a row of one more is left to the TECs, also where a stride makes
// half as many results of it.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!i8 = !quant.uniform<i8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK-NOT: "npu.conv"
// CHECK: npu.kernel{{.*}}yk_conv2d_int
// CHECK-NOT: "npu.conv"
// CHECK: return
func.func @main() -> tensor<1x1x32768x1x!i8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x1x65536x1x!i8> loc("x")
  %y = compass.convolution(%x) {compass.tops = ["y"], num_output = 1 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, stride_x = 2 : i64, stride_y = 1 : i64, weights = dense<3> : tensor<1x1x1x1xi8>, biases = dense<[7]> : tensor<1xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 2>} : (tensor<1x1x65536x1x!i8>) -> tensor<1x1x32768x1x!i8> loc("y")
  return %y : tensor<1x1x32768x1x!i8>
}
