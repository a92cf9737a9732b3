// A row of the layer table: 4 * 4 * 4 outputs of 3 * 3 * 2 multiplications, 72 weights and 4
// biases of 4 bytes, the bytes that go in and out, and the tensors.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK: npu.layers = [{{{.*}}in_bytes = 32 : i64,{{.*}}macs = 1152 : i64, members = ["c"], name = "c", out_bytes = 64 : i64, reads = ["x"], results = [{name = "c", scale = 2.000000e+01 : f64, shape = [1, 4, 4, 4], type = "uint8", zero_point = 0 : i64}], type = "Convolution", weight_bytes = 88 : i64}]
func.func @main() -> tensor<1x4x4x4x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x4x2x!u8> loc("x")
  %c = compass.convolution(%x) {compass.tops = ["c"], num_output = 4 : i64, kernel_x = 3 : i64, kernel_y = 3 : i64, pad_left = 1 : i64, pad_right = 1 : i64, pad_top = 1 : i64, pad_bottom = 1 : i64, weights = dense<"0x010604020005030106040200050301060402000503010604020005030106040200050301060402000503010604020005030106040200050301060402000503010604020005030106"> : tensor<4x3x3x2xi8>, biases = dense<[1, 2, 3, 4]> : tensor<4xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x4x4x2x!u8>) -> tensor<1x4x4x4x!u8> loc("c")
  return %c : tensor<1x4x4x4x!u8>
}
