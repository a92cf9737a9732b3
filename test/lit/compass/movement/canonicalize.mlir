// Moving values twice is moving them once, and a copy is its operand, in integer
// IR as in float. What the network returns keeps its name.
// RUN: yarrow-opt %s --canonicalize | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @transposes
// CHECK: %[[X:.*]] = compass.input
// CHECK-NEXT: %[[T:.*]] = compass.transpose(%[[X]]) {perm = array<i64: 2, 1, 0>}
// CHECK-NEXT: return %[[T]]
func.func @transposes() -> tensor<4x3x2x!u8> {
  %x = compass.input() : () -> tensor<2x3x4x!u8>
  %a = compass.transpose(%x) {perm = array<i64: 1, 0, 2>} : (tensor<2x3x4x!u8>) -> tensor<3x2x4x!u8>
  %b = compass.transpose(%a) {perm = array<i64: 2, 0, 1>} : (tensor<3x2x4x!u8>) -> tensor<4x3x2x!u8>
  return %b : tensor<4x3x2x!u8>
}

// CHECK-LABEL: func.func @reshapes
// CHECK: %[[X:.*]] = compass.input
// CHECK-NEXT: %[[R:.*]] = compass.reshape(%[[X]]) {shape = array<i64: 24>}
// CHECK-NEXT: return %[[R]]
func.func @reshapes() -> tensor<24xf32> {
  %x = compass.input() : () -> tensor<2x3x4xf32>
  %a = compass.reshape(%x) {shape = array<i64: 6, 4>} : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  %b = compass.reshape(%a) {shape = array<i64: 24>} : (tensor<6x4xf32>) -> tensor<24xf32>
  return %b : tensor<24xf32>
}

// CHECK-LABEL: func.func @copies
// CHECK: %[[X:.*]] = compass.input
// CHECK-NEXT: %[[E:.*]] = compass.exp(%[[X]])
// CHECK-NEXT: return %[[E]]
func.func @copies() -> tensor<2x3xf32> {
  %x = compass.input() : () -> tensor<2x3xf32>
  %a = compass.transpose(%x) {perm = array<i64: 0, 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %b = compass.reshape(%a) {shape = array<i64: 2, 3>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %c = compass.slice(%b) {begin = array<i64: 0, 0>, end = array<i64: 2, 3>, strides = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %d = compass.pad(%c) {pads = [array<i64: 0, 0>, array<i64: 0, 0>]} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %e = compass.cast(%d) {to_dtype = "float32"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %f = compass.concat(%e) {axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %g = compass.split(%f) {axis = 1 : i64, splits = array<i64: 3>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %h = compass.exp(%g) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %h : tensor<2x3xf32>
}

// A slice of steps backward is no copy, nor is an output.
// CHECK-LABEL: func.func @stays
// CHECK: compass.slice
// CHECK: compass.reshape
func.func @stays() -> tensor<4xf32> {
  %x = compass.input() : () -> tensor<4xf32>
  %a = compass.slice(%x) {begin = array<i64: -1>, end = array<i64: -5>, strides = array<i64: -1>} : (tensor<4xf32>) -> tensor<4xf32>
  %b = compass.exp(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %c = compass.reshape(%b) {shape = array<i64: 4>} : (tensor<4xf32>) -> tensor<4xf32>
  return %c : tensor<4xf32>
}
