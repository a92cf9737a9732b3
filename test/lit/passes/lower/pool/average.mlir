// An average needs a multiplier and a shift for each number of cells that a window may
// have: 4 bytes for each of 3 * 3.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: buffer_name = "y.reciprocals", data = {{.*}} region = 1 : i64, size_bytes = 36
// CHECK: buffer_name = "y.reciprocals", region = 0 : i64, size_bytes = 36
// CHECK: "npu.pool"
// CHECK-NOT: countIncludePad
func.func @main() -> tensor<1x4x4x2x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x4x2x!u8> loc("x")
  %y = compass.pooling(%x) {compass.tops = ["y"], method = "AVG", kernel_x = 3 : i64, kernel_y = 3 : i64, pad_left = 1 : i64, pad_right = 1 : i64, pad_top = 1 : i64, pad_bottom = 1 : i64} : (tensor<1x4x4x2x!u8>) -> tensor<1x4x4x2x!u8> loc("y")
  return %y : tensor<1x4x4x2x!u8>
}
