// What does not fit the SRAM goes through it in slices, which are loaded, computed and stored beside one another.
// Z1_0701 has 256 KB. The vector of channels is loaded once.
// RUN: yarrow-opt %s --yarrow-lower=target=Z1_0701 | FileCheck %s

!i8 = !quant.uniform<i8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK-COUNT-1: buffer_name = "y.other"
// CHECK-NOT: buffer_name = "y.other"
// CHECK: return
// CHECK-NOT: npu.kernel
func.func @main() -> tensor<1x128x128x16x!i8> {
  %a = compass.input() {compass.tops = ["a"]} : () -> tensor<1x128x128x16x!i8> loc("a")
  %b = compass.input() {compass.tops = ["b"], input_index = 1 : i64} : () -> tensor<1x1x1x16x!i8> loc("b")
  %y = compass.eltwise(%a, %b) {compass.tops = ["y"], method = "MAX", scale_value = array<i64: 1, 3, 5>, shift_value = array<i64: 2>} : (tensor<1x128x128x16x!i8>, tensor<1x1x1x16x!i8>) -> tensor<1x128x128x16x!i8> loc("y")
  return %y : tensor<1x128x128x16x!i8>
}
