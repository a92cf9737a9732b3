// Layers that only move values and undo each other disappear.
// RUN: yarrow-opt %s --yarrow-cleanup | FileCheck %s

// CHECK-LABEL: @transposes
// CHECK-NOT: compass.transpose
// CHECK: return
func.func @transposes() -> tensor<1x4x5x3xf32> {
  %x = compass.input() : () -> tensor<1x4x5x3xf32>
  %t = compass.transpose(%x) {perm = array<i64: 0, 3, 1, 2>} : (tensor<1x4x5x3xf32>) -> tensor<1x3x4x5xf32>
  %a = compass.activation(%t) {method = "RELU"} : (tensor<1x3x4x5xf32>) -> tensor<1x3x4x5xf32>
  %u = compass.transpose(%a) {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x3x4x5xf32>) -> tensor<1x4x5x3xf32>
  return %u : tensor<1x4x5x3xf32>
}

// CHECK-LABEL: @reshapes
// CHECK: compass.reshape{{.*}}shape = array<i64: 1, 20>
// CHECK-NOT: compass.reshape
// CHECK: return
func.func @reshapes() -> tensor<1x20xf32> {
  %x = compass.input() : () -> tensor<1x4x5xf32>
  %r = compass.reshape(%x) {shape = array<i64: 1, 5, 4>} : (tensor<1x4x5xf32>) -> tensor<1x5x4xf32>
  %s = compass.reshape(%r) {shape = array<i64: 1, 20>} : (tensor<1x5x4xf32>) -> tensor<1x20xf32>
  return %s : tensor<1x20xf32>
}

// Integer layers as well: an addition between transposes goes back to the layout
// of the layers around it, where a convolution can take it in.
// CHECK-LABEL: @integers
// CHECK-NOT: compass.transpose
// CHECK: compass.eltwise{{.*}}tensor<1x4x5x3x
// CHECK-NOT: compass.transpose
// CHECK: return
!u8 = !quant.uniform<u8:f32, 5.000000e-02>
func.func @integers() -> tensor<1x4x5x3x!u8> {
  %x = compass.input() : () -> tensor<1x4x5x3x!u8>
  %t = compass.transpose(%x) {perm = array<i64: 0, 3, 1, 2>} : (tensor<1x4x5x3x!u8>) -> tensor<1x3x4x5x!u8>
  %y = compass.input() {input_index = 1 : i64} : () -> tensor<1x4x5x3x!u8>
  %v = compass.transpose(%y) {perm = array<i64: 0, 3, 1, 2>} : (tensor<1x4x5x3x!u8>) -> tensor<1x3x4x5x!u8>
  %e = compass.eltwise(%t, %v) {scale_value = array<i64: 1, 1, 1>, shift_value = array<i64: 1>} : (tensor<1x3x4x5x!u8>, tensor<1x3x4x5x!u8>) -> tensor<1x3x4x5x!u8>
  %u = compass.transpose(%e) {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x3x4x5x!u8>) -> tensor<1x4x5x3x!u8>
  return %u : tensor<1x4x5x3x!u8>
}
