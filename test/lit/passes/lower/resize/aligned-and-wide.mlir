// Matrices for all columns would be large: pixels of both rows alternate for those of
// some, copied once for the rows of the result that lie between them.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!t = !quant.uniform<i8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: buffer_name = "y.pairs"
// CHECK: "npu.copy"{{.*}} size1 = 2 {{.*}} size2 = 40
// CHECK: "npu.matmul"
// CHECK-NOT: npu.kernel
// CHECK: return
func.func @main() -> tensor<1x80x80x64x!t> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x40x40x64x!t> loc("x")
  %y = compass.resize(%x) {compass.tops = ["y"], size = array<i64: 1, 80, 80, 64>, method = "BILINEAR", mode = "ALIGN_CORNERS"} : (tensor<1x40x40x64x!t>) -> tensor<1x80x80x64x!t> loc("y")
  return %y : tensor<1x80x80x64x!t>
}
