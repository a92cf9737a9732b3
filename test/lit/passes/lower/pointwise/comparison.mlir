// A comparison is the difference of both operands, limited to 0 and 1: less takes it the other way round, and where
// equal ones count it is 1 more. Of equality the numbers from -1 to 1 choose from a table of four entries.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!i16 = !quant.uniform<i16:f32, 1.000000e-03:5>
!u8 = !quant.uniform<u8:f32, 1.000000e+00>

// CHECK-LABEL: func.func @npu_main
// CHECK: buffer_name = "e.lut", data = {{.*}} size_bytes = 4
// CHECK-NOT: npu.kernel
// CHECK: "npu.conv"
// CHECK-SAME: mainScale = 3
// CHECK-SAME: residualScale = 5
// CHECK-SAME: sumMax = 1
// CHECK-SAME: sumOp = #npu.sum_op<rsub>
// CHECK-SAME: sumZeroPoint = -1
// CHECK: "npu.conv"
// CHECK-SAME: hasLut = 1
// CHECK-SAME: lutInputBits = 2
// CHECK-SAME: lutInputMin = -1
// CHECK-SAME: sumMax = 1
// CHECK-SAME: sumMin = -1
// CHECK-SAME: sumOp = #npu.sum_op<sub>
// CHECK-NOT: npu.kernel
// CHECK: return
func.func @main() -> (tensor<4x6x!u8>, tensor<4x6x!u8>) {
  %a = compass.input() {compass.tops = ["a"]} : () -> tensor<4x6x!i16> loc("a")
  %b = compass.input() {compass.tops = ["b"], input_index = 1 : i64} : () -> tensor<4x6x!i16> loc("b")
  %l = compass.logical(%a, %b) {compass.tops = ["l"], method = "LESS_EQUAL", scale_value = array<i64: 3, 5>} : (tensor<4x6x!i16>, tensor<4x6x!i16>) -> tensor<4x6x!u8> loc("l")
  %e = compass.logical(%a, %b) {compass.tops = ["e"], method = "EQUAL"} : (tensor<4x6x!i16>, tensor<4x6x!i16>) -> tensor<4x6x!u8> loc("e")
  return %l, %e : tensor<4x6x!u8>, tensor<4x6x!u8>
}
