// Runs of 64 bytes and more are copied from DDR to DDR: nothing is gained in SRAM.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK-NOT: region = 0
// CHECK: "npu.copy"{{.*}} size0 = 64 : i64, size1 = 2
// CHECK-NEXT: return
func.func @main() -> tensor<2x64x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<2x128x!u8> loc("x")
  %y = compass.slice(%x) {compass.tops = ["y"], begin = array<i64: 0, 0>, end = array<i64: 2, 64>, strides = array<i64: 1, 1>} : (tensor<2x128x!u8>) -> tensor<2x64x!u8> loc("y")
  return %y : tensor<2x64x!u8>
}
