// A transpose is one strided copy; elements that lie apart go through SRAM.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.copy"{{.*}} size0 = 24 
// CHECK-NEXT: "npu.copy"
// CHECK-SAME: dstStride0 = 1 : i64, dstStride1 = 6
// CHECK-SAME: size0 = 6 : i64, size1 = 4 : i64, size2 = 1
// CHECK-SAME: srcStride0 = 4 : i64, srcStride1 = 1
// CHECK-NEXT: "npu.copy"{{.*}} size0 = 24 
// CHECK-NEXT: return
func.func @main() -> tensor<4x6x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<6x4x!u8> loc("x")
  %y = compass.transpose(%x) {compass.tops = ["y"], perm = array<i64: 1, 0>} : (tensor<6x4x!u8>) -> tensor<4x6x!u8> loc("y")
  return %y : tensor<4x6x!u8>
}
