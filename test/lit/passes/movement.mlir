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
