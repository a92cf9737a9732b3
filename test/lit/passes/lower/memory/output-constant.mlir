// A constant that is an output is copied from the weights.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: buffer_name = "c", data = {{.*}} region = 1
// CHECK: buffer_name = "c", region = 4
// CHECK: "npu.copy"{{.*}} size0 = 4
func.func @main() -> tensor<1x4x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x!u8> loc("x")
  %c = compass.constant() {compass.tops = ["c"], weights = dense<"0x01060402"> : tensor<1x4xui8>} : () -> tensor<1x4x!u8> loc("c")
  return %c : tensor<1x4x!u8>
}
