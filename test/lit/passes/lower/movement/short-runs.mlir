// Runs of less than 64 bytes waste most of a burst: they go through SRAM as a whole.
// Without optimizations they do not.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s
// RUN: yarrow-opt %s --yarrow-lower='target=X2_1204 optimize=false' | FileCheck %s --check-prefix=PLAIN

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.copy"{{.*}} size0 = 256 
// CHECK-NEXT: "npu.copy"{{.*}} size0 = 63 : i64, size1 = 2
// CHECK-NEXT: "npu.copy"{{.*}} size0 = 126 
// CHECK-NEXT: return
// PLAIN-LABEL: func.func @npu_main
// PLAIN: "npu.copy"{{.*}} size0 = 63 : i64, size1 = 2
// PLAIN-NEXT: return
func.func @main() -> tensor<2x63x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<2x128x!u8> loc("x")
  %y = compass.slice(%x) {compass.tops = ["y"], begin = array<i64: 0, 0>, end = array<i64: 2, 63>, strides = array<i64: 1, 1>} : (tensor<2x128x!u8>) -> tensor<2x63x!u8> loc("y")
  return %y : tensor<2x63x!u8>
}
