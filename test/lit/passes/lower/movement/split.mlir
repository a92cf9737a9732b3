// A split is a copy for each part.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.copy"
// CHECK-NOT: src =
// CHECK-SAME: size0 = 4 : i64, size1 = 1
// CHECK-SAME: srcStride0 = 4
// CHECK: "npu.copy"
// CHECK-SAME: size0 = 3 : i64, size1 = 4
// CHECK-SAME: src = 1 
// CHECK-NEXT: return
func.func @main() -> (tensor<4x1x!u8>, tensor<4x3x!u8>) {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<4x4x!u8> loc("x")
  %a, %b = compass.split(%x) {compass.tops = ["a", "b"], axis = 1 : i64, splits = array<i64: 1, 3>} : (tensor<4x4x!u8>) -> (tensor<4x1x!u8>, tensor<4x3x!u8>) loc("a")
  return %a, %b : tensor<4x1x!u8>, tensor<4x3x!u8>
}
