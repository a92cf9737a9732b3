// A layer with transformed weights: one command in the tensor engine's mode,
// four ordinary convolutions of stride 2 on a machine without it.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s --check-prefix=MODE
// RUN: yarrow-opt %s --yarrow-lower=target=Z1_0701 | FileCheck %s --check-prefix=PHASES

!u8 = !quant.uniform<u8:f32, 5.000000e-02:3>

// Six tiles of 16 products.
// MODE: npu.layers = [{{.*}}macs = 96 : i64{{.*}}type = "Convolution (winograd)"
// MODE: npu.conv
// MODE-SAME: bias = 32
// MODE-SAME: hasTapShifts = 1
// MODE-SAME: kernelX = 3
// MODE-SAME: outHeight = 3
// MODE-SAME: outWidth = 5
// MODE-SAME: strideX = 1
// MODE-SAME: winograd = #npu.winograd_mode<"f(2x2,3x3)">
// MODE-NOT: npu.conv

// 15 windows of 9. The phases' windows begin where the padding ends, or one row
// or column further on.
// PHASES: npu.layers = [{{.*}}macs = 135 : i64{{.*}}type = "Convolution"
// PHASES: npu.conv
// PHASES-SAME: outHeight = 2{{.*}} outPixelStride = 2{{.*}} outRowStride = 10{{.*}} outWidth = 3
// PHASES-SAME: padLeft = 1{{.*}} padTop = 1{{.*}} strideX = 2{{.*}} strideY = 2
// PHASES-NOT: winograd
// PHASES: npu.conv
// PHASES-SAME: outHeight = 2{{.*}} outWidth = 2{{.*}} output = 1 : i64{{.*}} padTop = 1
// PHASES-SAME: weights = 32
// PHASES: npu.conv
// PHASES-SAME: outHeight = 1{{.*}} outWidth = 3{{.*}} output = 5 : i64{{.*}} padLeft = 1
// PHASES-SAME: weights = 64
// PHASES: npu.conv
// PHASES-SAME: outHeight = 1{{.*}} outWidth = 2{{.*}} output = 6 : i64
// PHASES-NOT: padLeft
// PHASES-SAME: weights = 96
func.func @main() -> tensor<1x3x5x1x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x3x5x1x!u8>
  %y = compass.convolution(%x) {compass.tops = ["y"], num_output = 1 : i64, kernel_x = 4 : i64, kernel_y = 4 : i64, stride_x = 2 : i64, stride_y = 2 : i64, pad_left = 1 : i64, pad_right = 1 : i64, pad_top = 1 : i64, pad_bottom = 1 : i64, with_winograd = true, Fmnrs = array<i64: 2, 2, 3, 3>, weights = dense_resource<w> : tensor<1x4x4x1xi8>, winograd_tap_shift = dense_resource<t> : tensor<1x4x4xui8>, biases = dense_resource<b> : tensor<1xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x3x5x1x!u8>) -> tensor<1x3x5x1x!u8>
  return %y : tensor<1x3x5x1x!u8>
}

{-#
  dialect_resources: {
    builtin: {
      w: "0x0400000000017F0305FF807F0102037F7F7F0101",
      t: "0x0400000000010203000102030001020300010203",
      b: "0x0400000001000000"
    }
  }
#-}
