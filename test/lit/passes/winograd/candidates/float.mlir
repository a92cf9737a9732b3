// Float layers stay.
// RUN: yarrow-opt %s --exact-winograd | FileCheck %s

// CHECK-LABEL: @main
// CHECK: compass.convolution
// CHECK-NOT: with_winograd = true
// CHECK: return
func.func @main() -> tensor<1x2x2x1xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x4x1xf32> loc("x")
  %y = compass.convolution(%x) {compass.tops = ["y"], num_output = 1 : i64, kernel_x = 3 : i64, kernel_y = 3 : i64, weights = dense<"0x0000803F0000004000004040000080400000A0400000C0400000E0400000004100001041"> : tensor<1x3x3x1xf32>, biases = dense<1.000000e+00> : tensor<1xf32>} : (tensor<1x4x4x1xf32>) -> tensor<1x2x2x1xf32> loc("y")
  return %y : tensor<1x2x2x1xf32>
}
