// Tables have 65,536 entries at most: a larger window is for the TECs, if it is not the whole image.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK-NOT: "npu.pool"
// CHECK: npu.kernel{{.*}}yk_pool_int
// CHECK-NOT: "npu.pool"
// CHECK: return
func.func @main() -> tensor<1x1x2x1x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x257x512x1x!u8> loc("x")
  %y = compass.pooling(%x) {compass.tops = ["y"], method = "AVG", kernel_x = 256 : i64, kernel_y = 257 : i64, stride_x = 256 : i64} : (tensor<1x257x512x1x!u8>) -> tensor<1x1x2x1x!u8> loc("y")
  return %y : tensor<1x1x2x1x!u8>
}
