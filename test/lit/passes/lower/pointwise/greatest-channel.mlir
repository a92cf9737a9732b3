// The greatest of 24 channels is that of two halves, five times: 12 and 12, 6 and 6, 3 and 3, 2 and 2 of which one is
// in both, 1 and 1.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.conv"{{.*}} inChannels = 12 {{.*}}sumOp = #npu.sum_op<max>
// CHECK: "npu.conv"{{.*}} inChannels = 6 {{.*}}sumOp = #npu.sum_op<max>
// CHECK: "npu.conv"{{.*}} inChannels = 3 {{.*}}sumOp = #npu.sum_op<max>
// CHECK: "npu.conv"{{.*}} inChannels = 2 {{.*}}residual = 1 {{.*}}sumOp = #npu.sum_op<max>
// CHECK: "npu.conv"{{.*}} inChannels = 1 {{.*}}sumOp = #npu.sum_op<max>
// CHECK-NOT: npu.kernel
func.func @main() -> tensor<1x40x40x1x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x40x40x24x!u8> loc("x")
  %a = compass.activation(%x) {compass.tops = ["a"], method = "RELU", scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x40x40x24x!u8>) -> tensor<1x40x40x24x!u8> loc("a")
  %m = compass.reduce(%a) {compass.tops = ["m"], method = "MAX", axis = array<i64: 3>, scale_value = array<i64: 1>, shift_value = array<i64: 0>} : (tensor<1x40x40x24x!u8>) -> tensor<1x40x40x1x!u8> loc("m")
  return %m : tensor<1x40x40x1x!u8>
}
