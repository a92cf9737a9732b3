// Strips of rows overlap by what the windows share; padding is above the first and
// below the last row of the tensor alone.
// RUN: yarrow-opt %s --yarrow-lower | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// 16 rows of 1 KiB in and out do not fit 28 KiB, nor do 10 in and 8 out twice, but 6 in and 4 out.
// CHECK: "npu.pool"{{.*}} inHeight = 5{{.*}} outHeight = 4{{.*}} padTop = 1
// CHECK: "npu.copy"{{.*}} size0 = 6144{{.*}} src = 3072 
// CHECK: "npu.pool"{{.*}} firstRow = 3 {{.*}} inHeight = 6{{.*}} outHeight = 4
// CHECK-NOT: padTop
// CHECK-SAME: tensorHeight = 16
// CHECK: "npu.pool"{{.*}} firstRow = 7 
// CHECK: "npu.pool"{{.*}} firstRow = 11 {{.*}} inHeight = 5
// CHECK-NOT: "npu.pool"
// CHECK: return
module attributes {npu.machine = "{\"name\": \"m\", \"base\": \"X2_1204\", \"sramBytes\": 98304}"} {
  func.func @main() -> tensor<1x16x32x32x!u8> {
    %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x16x32x32x!u8> loc("x")
    %y = compass.pooling(%x) {compass.tops = ["y"], method = "MAX", kernel_x = 3 : i64, kernel_y = 3 : i64, pad_left = 1 : i64, pad_right = 1 : i64, pad_top = 1 : i64, pad_bottom = 1 : i64} : (tensor<1x16x32x32x!u8>) -> tensor<1x16x32x32x!u8> loc("y")
    return %y : tensor<1x16x32x32x!u8>
  }
}
