// Where copies of five axes would be too many commands, the TECs copy.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK-NOT: "npu.nothing"
// CHECK: npu.kernel{{.*}}yk_copy
// CHECK-NOT: "npu.nothing"
// CHECK: return
func.func @main() -> tensor<3x3x3x3x3x3x3x3x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<3x3x3x3x3x3x3x3x!u8> loc("x")
  %y = compass.transpose(%x) {compass.tops = ["y"], perm = array<i64: 7, 6, 5, 4, 3, 2, 1, 0>} : (tensor<3x3x3x3x3x3x3x3x!u8>) -> tensor<3x3x3x3x3x3x3x3x!u8> loc("y")
  return %y : tensor<3x3x3x3x3x3x3x3x!u8>
}
