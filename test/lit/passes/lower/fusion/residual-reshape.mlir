// A sum with rows of features is part of the fully connected layer's command, and a Reshape between
// the two does not matter. What else reads the rows keeps them apart.
// RUN: yarrow-opt %s --split-input-file --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.conv"
// CHECK-SAME: hasResidual = 1
// CHECK-NOT: npu.kernel
// CHECK: return
func.func @main() -> tensor<1x3x2x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<3x4x!u8> loc("x")
  %t = compass.input() {compass.tops = ["t"], input_index = 1 : i64} : () -> tensor<1x3x2x!u8> loc("t")
  %f = compass.fully_connected(%x) {compass.tops = ["f"], num_output = 2 : i64, weights = dense<"0x0106040200050301"> : tensor<2x4xi8>, biases = dense<[1, 2]> : tensor<2xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<3x4x!u8>) -> tensor<3x2x!u8> loc("f")
  %r = compass.reshape(%f) {compass.tops = ["r"], shape = array<i64: 1, 3, 2>} : (tensor<3x2x!u8>) -> tensor<1x3x2x!u8> loc("r")
  %y = compass.eltwise(%r, %t) {compass.tops = ["y"], scale_value = array<i64: 1, 1, 1>, shift_value = array<i64: 1>} : (tensor<1x3x2x!u8>, tensor<1x3x2x!u8>) -> tensor<1x3x2x!u8> loc("y")
  return %y : tensor<1x3x2x!u8>
}

// -----

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.conv"
// CHECK-NOT: hasResidual
// CHECK: "npu.copy"
// CHECK: "npu.conv"{{.*}} depthwise = 1{{.*}} hasResidual = 1
func.func @main() -> (tensor<1x3x2x!u8>, tensor<3x2x!u8>) {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<3x4x!u8> loc("x")
  %t = compass.input() {compass.tops = ["t"], input_index = 1 : i64} : () -> tensor<1x3x2x!u8> loc("t")
  %f = compass.fully_connected(%x) {compass.tops = ["f"], num_output = 2 : i64, weights = dense<"0x0106040200050301"> : tensor<2x4xi8>, biases = dense<[1, 2]> : tensor<2xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<3x4x!u8>) -> tensor<3x2x!u8> loc("f")
  %r = compass.reshape(%f) {compass.tops = ["r"], shape = array<i64: 1, 3, 2>} : (tensor<3x2x!u8>) -> tensor<1x3x2x!u8> loc("r")
  %y = compass.eltwise(%r, %t) {compass.tops = ["y"], scale_value = array<i64: 1, 1, 1>, shift_value = array<i64: 1>} : (tensor<1x3x2x!u8>, tensor<1x3x2x!u8>) -> tensor<1x3x2x!u8> loc("y")
  return %y, %f : tensor<1x3x2x!u8>, tensor<3x2x!u8>
}
