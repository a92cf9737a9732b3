// The innermost batch axis runs in the command; an axis that one operand lacks has
// stride 0 there and is not joined with it: one command for each of its values.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.matmul"
// CHECK-SAME: aBatchStride = 4{{.*}} bBatchStride = 4{{.*}} batch = 3
// CHECK-NEXT: "npu.matmul"
// CHECK-SAME: a = 12 : i64
// CHECK-NOT: b = 
// CHECK-SAME: batch = 3
// CHECK-SAME: output = 12
// CHECK-NOT: "npu.matmul"
// CHECK: return
func.func @main() -> tensor<2x3x2x2x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<2x3x2x2x!u8> loc("x")
  %z = compass.input() {compass.tops = ["z"], input_index = 1 : i64} : () -> tensor<1x3x2x2x!u8> loc("z")
  %y = compass.matmul(%x, %z) {compass.tops = ["y"], scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<2x3x2x2x!u8>, tensor<1x3x2x2x!u8>) -> tensor<2x3x2x2x!u8> loc("y")
  return %y : tensor<2x3x2x2x!u8>
}
