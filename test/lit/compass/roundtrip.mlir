// Every family of the dialect is read back as it was printed.
// RUN: yarrow-opt %s > %t.mlir
// RUN: yarrow-opt %t.mlir | diff %t.mlir -
// RUN: FileCheck %s < %t.mlir

!u8 = !quant.uniform<u8:f32, 5.000000e-02>
!i8 = !quant.uniform<i8:f32, 2.000000e-02:-5>

// CHECK-LABEL: func.func @conv
// CHECK: compass.convolution(%{{.*}}) {biases = dense_resource<biases> : tensor<2xf32>
// CHECK: compass.fully_connected
func.func @conv() -> tensor<1x2xf32> {
  %x = compass.input() : () -> tensor<1x4x4x1xf32>
  %c = compass.convolution(%x) {kernel_x = 3 : i64, kernel_y = 3 : i64, num_output = 2 : i64, weights = dense_resource<conv> : tensor<2x3x3x1xf32>, biases = dense_resource<biases> : tensor<2xf32>, with_activation = "RELU"} : (tensor<1x4x4x1xf32>) -> tensor<1x2x2x2xf32>
  %r = compass.reshape(%c) {shape = array<i64: 1, 8>} : (tensor<1x2x2x2xf32>) -> tensor<1x8xf32>
  %f = compass.fully_connected(%r) {num_output = 2 : i64, weights = dense_resource<fc> : tensor<2x8xf32>, biases = dense_resource<biases> : tensor<2xf32>} : (tensor<1x8xf32>) -> tensor<1x2xf32>
  return %f : tensor<1x2xf32>
}

// CHECK-LABEL: func.func @int_layers
// CHECK: compass.input{{.*}}!quant.uniform<u8:f32, 5.000000e-02>
// CHECK: compass.pooling
// CHECK: compass.eltwise{{.*}}scale_value = array<i64: 1, 1, 160>
// CHECK: compass.activation{{.*}}method = "CLIP"
func.func @int_layers() -> tensor<1x2x2x3x!i8> {
  %x = compass.input() : () -> tensor<1x4x4x3x!u8>
  %p = compass.pooling(%x) {kernel_x = 2 : i64, kernel_y = 2 : i64, stride_x = 2 : i64, stride_y = 2 : i64} : (tensor<1x4x4x3x!u8>) -> tensor<1x2x2x3x!u8>
  %e = compass.eltwise(%p, %p) {scale_value = array<i64: 1, 1, 160>, shift_value = array<i64: 6>} : (tensor<1x2x2x3x!u8>, tensor<1x2x2x3x!u8>) -> tensor<1x2x2x3x!i8>
  %a = compass.activation(%e) {method = "CLIP", clip_max = 100 : i64, clip_min = -100 : i64, scale_value = array<i64: 154>, shift_value = array<i64: 5>} : (tensor<1x2x2x3x!i8>) -> tensor<1x2x2x3x!i8>
  return %a : tensor<1x2x2x3x!i8>
}

// CHECK-LABEL: func.func @float_layers
// CHECK: compass.softmax
// CHECK: compass.transpose{{.*}}perm = array<i64: 0, 3, 1, 2>
// CHECK: compass.concat
// CHECK: compass.reduce{{.*}}method = "SUM"
// CHECK: compass.cast
func.func @float_layers() -> tensor<1x1x1x2xf16> {
  %x = compass.input() : () -> tensor<1x4x2x3xf32>
  %s = compass.softmax(%x) {axis = 3 : i64} : (tensor<1x4x2x3xf32>) -> tensor<1x4x2x3xf32>
  %t = compass.transpose(%s) {perm = array<i64: 0, 3, 1, 2>} : (tensor<1x4x2x3xf32>) -> tensor<1x3x4x2xf32>
  %c = compass.concat(%t, %t) {axis = 1 : i64} : (tensor<1x3x4x2xf32>, tensor<1x3x4x2xf32>) -> tensor<1x6x4x2xf32>
  %r = compass.reduce(%c) {axis = array<i64: 1, 2>, method = "SUM"} : (tensor<1x6x4x2xf32>) -> tensor<1x1x1x2xf32>
  %h = compass.cast(%r) {to_dtype = "float16"} : (tensor<1x1x1x2xf32>) -> tensor<1x1x1x2xf16>
  return %h : tensor<1x1x1x2xf16>
}

// What a layer needs is printed, even if it does nothing.
// CHECK-LABEL: func.func @needed_keys
// CHECK: block_size_x = 1 : i64, block_size_y = 1 : i64
// CHECK: group = 1 : i64
// CHECK: depth = 1 : i64
func.func @needed_keys() -> tensor<1x4x2x4x1xf32> {
  %x = compass.input() : () -> tensor<1x4x2x4xi32>
  %d = compass.depth_to_space(%x) {block_size_x = 1 : i64, block_size_y = 1 : i64} : (tensor<1x4x2x4xi32>) -> tensor<1x4x2x4xi32>
  %s = compass.channel_shuffle(%d) {group = 1 : i64} : (tensor<1x4x2x4xi32>) -> tensor<1x4x2x4xi32>
  %h = compass.one_hot(%s) {depth = 1 : i64} : (tensor<1x4x2x4xi32>) -> tensor<1x4x2x4x1xf32>
  return %h : tensor<1x4x2x4x1xf32>
}

{-#
  dialect_resources: {
    builtin: {
      biases: "0x040000000000803F00000040",
      conv: "0x040000000000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F",
      fc: "0x040000000000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F"
    }
  }
#-}
