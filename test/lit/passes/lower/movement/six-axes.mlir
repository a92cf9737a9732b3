// A copy has five axes: the shortest outer one of six that cannot be joined is
// a command for each step.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.copy"{{.*}} size0 = 384 
// CHECK-NEXT: "npu.copy"
// CHECK-SAME: <{dstStride0 = 1
// CHECK-SAME: size0 = 4 : i64, size1 = 3 : i64, size2 = 4 : i64, size3 = 2 : i64, size4 = 2
// CHECK-NOT: src =
// CHECK-NEXT: "npu.copy"
// CHECK-SAME: <{dst = 192
// CHECK-SAME: size0 = 4 : i64, size1 = 3 : i64, size2 = 4 : i64, size3 = 2 : i64, size4 = 2
// CHECK-SAME: src = 1
// CHECK-NEXT: "npu.copy"{{.*}} size0 = 384 
// CHECK-NOT: npu.kernel
// CHECK: return
func.func @main() -> tensor<2x2x2x4x3x4x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<4x3x4x2x2x2x!u8> loc("x")
  %y = compass.transpose(%x) {compass.tops = ["y"], perm = array<i64: 5, 4, 3, 2, 1, 0>} : (tensor<4x3x4x2x2x2x!u8>) -> tensor<2x2x2x4x3x4x!u8> loc("y")
  return %y : tensor<2x2x2x4x3x4x!u8>
}
