// A transpose that gives the stored integers another scale stays: behind it they mean something else.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(sink-transposes))' | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>
!u8b = !quant.uniform<u8:f32, 1.000000e-01>

// CHECK-LABEL: @main
// CHECK: %[[T:.*]] = compass.transpose
// CHECK: compass.activation(%[[T]])
func.func @main() -> tensor<1x3x4x5x!u8b> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x5x3x!u8> loc("x")
  %t = compass.transpose(%x) {compass.tops = ["t"], perm = array<i64: 0, 3, 1, 2>} : (tensor<1x4x5x3x!u8>) -> tensor<1x3x4x5x!u8b> loc("t")
  %y = compass.activation(%t) {compass.tops = ["y"], method = "RELU", scale_value = array<i64: 1>, shift_value = array<i64: 0>} : (tensor<1x3x4x5x!u8b>) -> tensor<1x3x4x5x!u8b> loc("y")
  return %y : tensor<1x3x4x5x!u8b>
}
