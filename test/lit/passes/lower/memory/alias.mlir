// A reshape keeps the bytes: no buffer, no command and no row in the report.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s --check-prefix=ROWS

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK: npu.layers = [
// CHECK-COUNT-2: members = [
// CHECK-NOT: members = [
// What the row reads is what the reshape reads; what makes it has its name, too.
// ROWS: reads = ["x", "x"], results = [{name = "a", {{[^}]*}}}, {name = "r", scale = 2.000000e+01 : f64, shape = [4, 1], type = "uint8", zero_point = 0 : i64}]
// ROWS-SAME: reads = ["a", "x"], results = [{name = "y"
// CHECK-LABEL: func.func @npu_main
// CHECK: buffer_name = "a", region = 0
// CHECK-NOT: buffer_name = "r"
// CHECK: "npu.conv"
// CHECK: "npu.conv"
func.func @main() -> tensor<4x4x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x!u8> loc("x")
  %a = compass.eltwise(%x, %x) {compass.tops = ["a"], method = "MUL", scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x4x!u8>, tensor<1x4x!u8>) -> tensor<1x4x!u8> loc("a")
  %r = compass.reshape(%a) {compass.tops = ["r"], shape = array<i64: 4, 1>} : (tensor<1x4x!u8>) -> tensor<4x1x!u8> loc("r")
  %y = compass.eltwise(%r, %x) {compass.tops = ["y"], method = "MUL", scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<4x1x!u8>, tensor<1x4x!u8>) -> tensor<4x4x!u8> loc("y")
  return %y : tensor<4x4x!u8>
}
