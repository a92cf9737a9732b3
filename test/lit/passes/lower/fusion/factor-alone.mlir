// With one constant number, what 8 bits can be has 256 results: a table, which the tensor engine
// looks up. More numbers, or 16 bits, are the second operand of its output stage.
// RUN: yarrow-opt %s --split-input-file --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>
!i16 = !quant.uniform<i16:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: buffer_name = "y.lut", data = {{.*}} region = 1 : i64, size_bytes = 256
// CHECK: "npu.conv"
// CHECK-SAME: depthwise = 1
// CHECK-SAME: hasLut = 1
// CHECK-SAME: lutInputBits = 8
// CHECK-NOT: npu.kernel
// CHECK: return
func.func @main() -> tensor<1x4x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x!u8> loc("x")
  %c = compass.constant() {compass.tops = ["c"], weights = dense<3> : tensor<1xui8>} : () -> tensor<1x!u8> loc("c")
  %y = compass.eltwise(%x, %c) {compass.tops = ["y"], method = "MUL", scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x4x!u8>, tensor<1x!u8>) -> tensor<1x4x!u8> loc("y")
  return %y : tensor<1x4x!u8>
}

// -----

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.conv"
// CHECK-SAME: hasResidual = 1
// CHECK-SAME: sumOp = #npu.sum_op<mul>
// CHECK-NOT: npu.kernel
func.func @main() -> tensor<1x4x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x!u8> loc("x")
  %c = compass.constant() {compass.tops = ["c"], weights = dense<[1, 2, 3, 4]> : tensor<4xui8>} : () -> tensor<4x!u8> loc("c")
  %y = compass.eltwise(%x, %c) {compass.tops = ["y"], method = "MUL", scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x4x!u8>, tensor<4x!u8>) -> tensor<1x4x!u8> loc("y")
  return %y : tensor<1x4x!u8>
}

// -----

!u8 = !quant.uniform<u8:f32, 5.000000e-02>
!i16 = !quant.uniform<i16:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.conv"
// CHECK-SAME: hasResidual = 1
// CHECK-SAME: sumOp = #npu.sum_op<mul>
// CHECK-NOT: npu.kernel
func.func @main() -> tensor<1x4x!i16> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x!i16> loc("x")
  %c = compass.constant() {compass.tops = ["c"], weights = dense<3> : tensor<1xui8>} : () -> tensor<1x!u8> loc("c")
  %y = compass.eltwise(%x, %c) {compass.tops = ["y"], method = "MUL", scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x4x!i16>, tensor<1x!u8>) -> tensor<1x4x!i16> loc("y")
  return %y : tensor<1x4x!i16>
}
