// Two convolutions have the same weights. What is folded into one of them does not change the other.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fold-into-weights))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK-NOT: compass.batch_norm
// CHECK: compass.convolution{{.*}}compass.tops = ["n"]{{.*}}weights = dense_resource<[[FOLDED:.*]]> :
// CHECK: compass.convolution{{.*}}compass.tops = ["d"]{{.*}}weights = dense_resource<weights> :
// [1 2] * 2 and [3 4] * 3.
// CHECK-DAG: {{^ *}}[[FOLDED]]: "0x{{........}}00000040000080400000104100004041"
// CHECK-DAG: {{^ *}}weights: "0x{{........}}0000803F000000400000404000008040"
func.func @main() -> (tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>) {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x2x2x2xf32> loc("x")
  %c = compass.convolution(%x) {compass.tops = ["c"], num_output = 2 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense_resource<weights> : tensor<2x1x1x2xf32>, biases = dense<[1.0, 2.0]> : tensor<2xf32>} : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32> loc("c")
  %n = compass.batch_norm(%c) {compass.tops = ["n"], axis = 3 : i64, weights = dense<[2.0, 3.0]> : tensor<2xf32>, biases = dense<[1.0, 5.0]> : tensor<2xf32>} : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32> loc("n")
  %d = compass.convolution(%x) {compass.tops = ["d"], num_output = 2 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense_resource<weights> : tensor<2x1x1x2xf32>, biases = dense<[1.0, 2.0]> : tensor<2xf32>} : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32> loc("d")
  return %n, %d : tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>
}
{-# dialect_resources: {builtin: {
  weights: "0x040000000000803F000000400000404000008040"
}} #-}
