// The engine adds up the channels of an InstanceNorm: their sums are a product with ones, those of their squares the
// diagonal of products of 16 channels with themselves, in two commands for 24 channels. The first writes 256 products,
// the second up to the 120th. The TECs find the gains.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!i8 = !quant.uniform<i8:f32, 5.000000e-02:3>

// CHECK-LABEL: func.func @npu_main
// CHECK: buffer_name = "y.squares", region = 0 : i64, size_bytes = 1504 :
// CHECK: "npu.matmul"
// CHECK-SAME: columns = 24
// CHECK-SAME: inner = 1024
// CHECK: "npu.matmul"
// CHECK-SAME: batch = 1
// CHECK-SAME: columns = 16
// CHECK-SAME: inner = 1024
// CHECK-SAME: rows = 16
// CHECK: "npu.matmul"
// CHECK-SAME: columns = 8
// CHECK-SAME: rows = 8
// CHECK: npu.kernel "yk_group_gains"
// CHECK-NOT: npu.kernel
// CHECK: return
func.func @main() -> tensor<1x32x32x24x!i8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x32x32x24x!i8> loc("x")
  %y = compass.instance_norm(%x) {compass.tops = ["y"], lut = dense<"0xE803E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703"> : tensor<193xi16>, weights = dense<[3, 4, 5, 6, 7, 3, 4, 5, 6, 7, 3, 4, 5, 6, 7, 3, 4, 5, 6, 7, 3, 4, 5, 6]> : tensor<24xi8>, biases = dense<[5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28]> : tensor<24xi32>, scale_value = array<i64: 3>, shift_value = array<i64: 9>, var_shift_value = 4 : i64, norm_scale_value = 1 : i64, norm_shift_value = 2 : i64} : (tensor<1x32x32x24x!i8>) -> tensor<1x32x32x24x!i8> loc("y")
  return %y : tensor<1x32x32x24x!i8>
}
