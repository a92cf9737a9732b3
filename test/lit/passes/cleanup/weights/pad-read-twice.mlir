// A border that another layer reads, too, becomes the convolution's own padding, and stays for the
// other layer.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fold-into-weights))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[X:.*]] = compass.input
// CHECK: %[[P:.*]] = compass.pad(%[[X]])
// CHECK: %[[C:.*]] = compass.convolution(%[[X]])
// CHECK-SAME: pad_bottom = 1 : i64, pad_left = 1 : i64, pad_right = 1 : i64, pad_top = 1 : i64
// CHECK: return %[[P]], %[[C]]
func.func @main() -> (tensor<1x4x4x1xf32>, tensor<1x2x2x1xf32>) {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x2x2x1xf32> loc("x")
  %p = compass.pad(%x) {compass.tops = ["p"], mode = "CONSTANT", constant_value = 0.0 : f64, pads = [array<i64: 0, 0>, array<i64: 1, 1>, array<i64: 1, 1>, array<i64: 0, 0>]} : (tensor<1x2x2x1xf32>) -> tensor<1x4x4x1xf32> loc("p")
  %c = compass.convolution(%p) {compass.tops = ["c"], num_output = 1 : i64, kernel_x = 3 : i64, kernel_y = 3 : i64, weights = dense<"0x0000803F0000004000004040000080400000A0400000C0400000E0400000004100001041"> : tensor<1x3x3x1xf32>, biases = dense<1.000000e+00> : tensor<1xf32>} : (tensor<1x4x4x1xf32>) -> tensor<1x2x2x1xf32> loc("c")
  return %p, %c : tensor<1x4x4x1xf32>, tensor<1x2x2x1xf32>
}
