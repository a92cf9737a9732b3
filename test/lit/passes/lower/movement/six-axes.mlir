// A copy has five axes: six that cannot be joined are for the TECs.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK-NOT: "npu.nothing"
// CHECK: npu.kernel{{.*}}yk_copy
// CHECK-NOT: "npu.nothing"
// CHECK: return
func.func @main() -> tensor<3x2x3x2x3x2x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<2x3x2x3x2x3x!u8> loc("x")
  %y = compass.transpose(%x) {compass.tops = ["y"], perm = array<i64: 5, 4, 3, 2, 1, 0>} : (tensor<2x3x2x3x2x3x!u8>) -> tensor<3x2x3x2x3x2x!u8> loc("y")
  return %y : tensor<3x2x3x2x3x2x!u8>
}
