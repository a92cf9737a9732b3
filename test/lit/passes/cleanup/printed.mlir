// A key that has its default is not printed: read again, the layers are the same, and
// the clean-up does the same with them.
// RUN: yarrow-opt %s | FileCheck %s --check-prefix=PRINTED
// RUN: yarrow-opt %s | yarrow-opt --yarrow-cleanup | FileCheck %s

// PRINTED-LABEL: @main
// PRINTED-NOT: method =

// CHECK-LABEL: @main
// CHECK: compass.fully_connected{{.*}}with_activation = "RELU"
// CHECK-NOT: compass.eltwise
// CHECK-NOT: compass.activation
// CHECK: return
func.func @main() -> tensor<1x2xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x2xf32>
  %f = compass.fully_connected(%x) {compass.tops = ["f"], num_output = 2 : i64, weights = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>, biases = dense<[1.0, 2.0]> : tensor<2xf32>} : (tensor<1x2xf32>) -> tensor<1x2xf32>
  %c = compass.constant() {compass.tops = ["c"], weights = dense<[[2.0, 3.0]]> : tensor<1x2xf32>} : () -> tensor<1x2xf32>
  %s = compass.eltwise(%f, %c) {compass.tops = ["s"], method = "ADD"} : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32>
  %y = compass.activation(%s) {compass.tops = ["y"], method = "RELU"} : (tensor<1x2xf32>) -> tensor<1x2xf32>
  return %y : tensor<1x2xf32>
}
