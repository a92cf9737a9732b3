// The clean-up leaves integer layers with transformed weights as they are: their
// weights take no factors, and what surrounds them has roundings of its own.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fold-constants,fold-into-weights,fuse-activations,sink-transposes,drop-identities))' | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>
!i8 = !quant.uniform<i8:f32, 2.000000e-02:-5>

// CHECK-LABEL: func.func @main
// CHECK: compass.pad(
// CHECK: compass.convolution(%{{.*}}) {Fmnrs = array<i64: 2, 2, 3, 3>
// CHECK-SAME: kernel_x = 4 : i64
// CHECK-NOT: pad_right
// CHECK-SAME: scale_value = array<i64: 3>, shift_value = array<i64: 8>, stride_x = 2 : i64
// CHECK-SAME: weights = dense_resource<w> : tensor<1x4x4x1xi8>, winograd_output_shift = 2 : i64, winograd_tap_shift = dense_resource<t> : tensor<1x4x4xui8>
// CHECK: compass.activation(
// CHECK: return
func.func @main() -> tensor<1x3x4x1x!i8> {
  %x = compass.input() : () -> tensor<1x3x4x1x!u8>
  %p = compass.pad(%x) {mode = "CONSTANT", constant_value = 0.0 : f64, pads = [array<i64: 0, 0>, array<i64: 1, 1>, array<i64: 0, 1>, array<i64: 0, 0>]} : (tensor<1x3x4x1x!u8>) -> tensor<1x5x5x1x!u8>
  %c = compass.convolution(%p) {num_output = 1 : i64, kernel_x = 4 : i64, kernel_y = 4 : i64, stride_x = 2 : i64, stride_y = 2 : i64, pad_left = 1 : i64, pad_right = 0 : i64, pad_top = 0 : i64, pad_bottom = 0 : i64, with_winograd = true, Fmnrs = array<i64: 2, 2, 3, 3>, weights = dense_resource<w> : tensor<1x4x4x1xi8>, biases = dense_resource<b> : tensor<1xi32>, winograd_tap_shift = dense_resource<t> : tensor<1x4x4xui8>, winograd_output_shift = 2 : i64, scale_value = array<i64: 3>, shift_value = array<i64: 8>, with_activation = "NONE"} : (tensor<1x5x5x1x!u8>) -> tensor<1x3x4x1x!i8>
  %a = compass.activation(%c) {method = "CLIP", clip_max = 100 : i64, clip_min = -100 : i64, scale_value = array<i64: 154>, shift_value = array<i64: 5>} : (tensor<1x3x4x1x!i8>) -> tensor<1x3x4x1x!i8>
  return %a : tensor<1x3x4x1x!i8>
}

{-#
  dialect_resources: {
    builtin: {
      w: "0x0100000001020304050607080102030405060708",
      t: "0x0100000000000000010101010202020203030303",
      b: "0x0400000001000000"
    }
  }
#-}
