// A Concat gives its branches one scale: the convolutions that make them do it with a table, and write
// to where the Concat has them, if that is in SRAM. A branch that something else makes is requantized by a
// command of its own.
// RUN: yarrow-opt %s --split-input-file --yarrow-lower=target=X2_1204 | FileCheck %s

!a = !quant.uniform<u8:f32, 5.000000e-02>
!b = !quant.uniform<i8:f32, 2.500000e-02>
!c = !quant.uniform<u8:f32, 1.000000e-01>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.conv"
// CHECK-SAME: hasLut = 1
// CHECK-SAME: lutInputBits = 8
// CHECK-SAME: lutLog2Items = 8
// CHECK-SAME: outPixelStride = 5
// CHECK: "npu.conv"
// CHECK-SAME: hasLut = 1
// CHECK-SAME: lutInputMin = -128
// CHECK-SAME: outPixelStride = 5
// CHECK-SAME: output = 2
// CHECK-NOT: npu.kernel
// CHECK: "npu.copy"{{.*}} size0 = 320
// CHECK-NOT: npu.copy
// CHECK: return
func.func @main() -> tensor<1x8x8x5x!c> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x8x8x1x!a> loc("x")
  %p = compass.convolution(%x) {compass.tops = ["p"], num_output = 2 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense<[[[[1]]], [[[2]]]]> : tensor<2x1x1x1xi8>, biases = dense<[1, 2]> : tensor<2xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 1>} : (tensor<1x8x8x1x!a>) -> tensor<1x8x8x2x!a> loc("p")
  %q = compass.convolution(%x) {compass.tops = ["q"], num_output = 3 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense<[[[[1]]], [[[2]]], [[[-1]]]]> : tensor<3x1x1x1xi8>, biases = dense<[1, 2, 3]> : tensor<3xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 1>} : (tensor<1x8x8x1x!a>) -> tensor<1x8x8x3x!b> loc("q")
  %y = compass.concat(%p, %q) {compass.tops = ["y"], axis = 3 : i64, scale_value = array<i64: 128, 64>, shift_value = array<i64: 8, 8>} : (tensor<1x8x8x2x!a>, tensor<1x8x8x3x!b>) -> tensor<1x8x8x5x!c> loc("y")
  %z = compass.reshape(%y) {compass.tops = ["z"], shape = array<i64: 1, 8, 8, 5>} : (tensor<1x8x8x5x!c>) -> tensor<1x8x8x5x!c> loc("z")
  return %z : tensor<1x8x8x5x!c>
}

// -----

!a = !quant.uniform<u8:f32, 5.000000e-02>
!c = !quant.uniform<u8:f32, 1.000000e-01>

// An output of the network is in DDR, where pixels of two bytes are no burst: it is put together in SRAM.
// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.conv"
// CHECK-SAME: hasLut = 1
// CHECK: "npu.copy"{{.*}} size0 = 2 {{.*}}size1 = 64
// CHECK: "npu.conv"
// CHECK-SAME: outPixelStride = 3
// CHECK-SAME: output = 2
// CHECK-SAME: scale = 128
// CHECK-NOT: npu.kernel
// CHECK: "npu.copy"{{.*}} queue = #npu.unit<"DMA store">{{.*}} size0 = 192
func.func @main() -> tensor<1x8x8x3x!c> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x8x8x1x!a> loc("x")
  %p = compass.convolution(%x) {compass.tops = ["p"], num_output = 2 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense<[[[[1]]], [[[2]]]]> : tensor<2x1x1x1xi8>, biases = dense<[1, 2]> : tensor<2xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 1>} : (tensor<1x8x8x1x!a>) -> tensor<1x8x8x2x!a> loc("p")
  %y = compass.concat(%p, %x) {compass.tops = ["y"], axis = 3 : i64, scale_value = array<i64: 128, 128>, shift_value = array<i64: 8, 8>} : (tensor<1x8x8x2x!a>, tensor<1x8x8x1x!a>) -> tensor<1x8x8x3x!c> loc("y")
  return %y : tensor<1x8x8x3x!c>
}

// -----

!a = !quant.uniform<u8:f32, 5.000000e-02>
!c = !quant.uniform<u8:f32, 1.000000e-01>

// The command adds what is missing.
// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.conv"
// CHECK-SAME: hasLut = 1
// CHECK-SAME: outPixelStride = 3
// CHECK: "npu.conv"
// CHECK-SAME: inChannels = 1
// CHECK-SAME: outPixelStride = 3
// CHECK-SAME: scale = 128
// CHECK-NOT: npu.kernel
func.func @main() -> tensor<1x8x8x3x!c> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x8x8x1x!a> loc("x")
  %p = compass.convolution(%x) {compass.tops = ["p"], num_output = 2 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense<[[[[1]]], [[[2]]]]> : tensor<2x1x1x1xi8>, biases = dense<[1, 2]> : tensor<2xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 1>} : (tensor<1x8x8x1x!a>) -> tensor<1x8x8x2x!a> loc("p")
  %y = compass.concat(%p, %x) {compass.tops = ["y"], axis = 3 : i64, scale_value = array<i64: 128, 128>, shift_value = array<i64: 8, 8>} : (tensor<1x8x8x2x!a>, tensor<1x8x8x1x!a>) -> tensor<1x8x8x3x!c> loc("y")
  %z = compass.reshape(%y) {compass.tops = ["z"], shape = array<i64: 1, 8, 8, 3>} : (tensor<1x8x8x3x!c>) -> tensor<1x8x8x3x!c> loc("z")
  return %z : tensor<1x8x8x3x!c>
}
