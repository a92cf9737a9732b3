// Each image is a command of its own.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.copy"{{.*}} size0 = 32
// CHECK: "npu.pool"
// CHECK: "npu.copy"{{.*}} size0 = 8
// CHECK: "npu.copy"{{.*}} size0 = 32{{.*}} src = 32
// CHECK: "npu.pool"
// CHECK: "npu.copy"{{.*}}<{dst = 8{{.*}} size0 = 8
func.func @main() -> tensor<2x2x2x2x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<2x4x4x2x!u8> loc("x")
  %y = compass.pooling(%x) {compass.tops = ["y"], method = "MAX", kernel_x = 2 : i64, kernel_y = 2 : i64, stride_x = 2 : i64, stride_y = 2 : i64} : (tensor<2x4x4x2x!u8>) -> tensor<2x2x2x2x!u8> loc("y")
  return %y : tensor<2x2x2x2x!u8>
}
