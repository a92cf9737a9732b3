// Axes that stay neighbours count as one: five axes are a matrix to the engine.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK-NOT: npu.kernel
// CHECK: "npu.copy"{{.*}} size0 = 6 : i64, size1 = 12 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1
func.func @main() -> tensor<3x2x2x2x3x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<2x3x3x2x2x!u8> loc("x")
  %y = compass.transpose(%x) {compass.tops = ["y"], perm = array<i64: 2, 3, 4, 0, 1>} : (tensor<2x3x3x2x2x!u8>) -> tensor<3x2x2x2x3x!u8> loc("y")
  return %y : tensor<3x2x2x2x3x!u8>
}
