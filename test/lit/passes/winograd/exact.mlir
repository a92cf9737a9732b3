// An int8 convolution of 3x3 gets the weights (2G) w (2G)^T of F(2x2,3x3). On a
// machine whose multipliers do not take them it runs as it was.
// RUN: yarrow-opt %s --exact-winograd | FileCheck %s
// RUN: yarrow-opt %s --exact-winograd --yarrow-lower=target=X2_1204 | FileCheck %s --check-prefix=DIRECT

!i8 = !quant.uniform<i8:f32, 5.000000e-02>

// CHECK: compass.convolution
// CHECK-SAME: Fmnrs = array<i64: 2, 2, 3, 3>
// CHECK-SAME: kernel_x = 4
// CHECK-SAME: kernel_y = 4
// CHECK-SAME: pad_left = 1
// CHECK-SAME: stride_x = 2
// CHECK-SAME: stride_y = 2
// CHECK-SAME: weights = {{[^:]*}} : tensor<1x4x4x1xi16>
// CHECK-SAME: winograd_output_shift = 2
// CHECK-SAME: with_winograd = true
// A window of 1x1 stays.
// CHECK: compass.convolution
// CHECK-NOT: Fmnrs
// CHECK-SAME: weights = {{[^:]*}} : tensor<1x1x1x1xi8>

// Of w[0][0] = 64, w[1][1] = 2: [256 128 128 0; 128 66 62 0; 128 62 66 0; 0 0 0 0].
// CHECK: 0001800080000000800042003E00000080003E00420000000000000000000000"

// DIRECT: npu.conv
// DIRECT-SAME: kernelX = {{[13]}}
// DIRECT-SAME: kernelY = 3
// DIRECT-SAME: outHeight = 4
// DIRECT-NOT: weightType
// DIRECT-NOT: winograd
func.func @main() -> tensor<1x4x4x1x!i8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x4x1x!i8>
  %y = compass.convolution(%x) {compass.tops = ["y"], num_output = 1 : i64, kernel_x = 3 : i64, kernel_y = 3 : i64, pad_left = 1 : i64, pad_right = 1 : i64, pad_top = 1 : i64, pad_bottom = 1 : i64, weights = dense_resource<w> : tensor<1x3x3x1xi8>, biases = dense_resource<b> : tensor<1xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x4x4x1x!i8>) -> tensor<1x4x4x1x!i8>
  %z = compass.convolution(%y) {compass.tops = ["z"], num_output = 1 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense_resource<v> : tensor<1x1x1x1xi8>, biases = dense_resource<b> : tensor<1xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x4x4x1x!i8>) -> tensor<1x4x4x1x!i8>
  return %z : tensor<1x4x4x1x!i8>
}

{-#
  dialect_resources: {
    builtin: {
      w: "0x04000000400000000200000000",
      v: "0x0400000007",
      b: "0x0400000001000000"
    }
  }
#-}
