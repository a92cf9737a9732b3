// A convolution that is a result of the network is one as it stands: its only layer behind it does
// not change its weights.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fold-into-weights))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[C:.*]] = compass.convolution
// CHECK-SAME: compass.tops = ["c"]
// CHECK: %[[N:.*]] = compass.batch_norm(%[[C]])
// CHECK: return %[[C]], %[[N]]
// CHECK-DAG: biases: "0x{{........}}0000803F00000040"
// CHECK-DAG: weights: "0x{{........}}0000803F000000400000404000008040"
func.func @main() -> (tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>) {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x2x2x2xf32> loc("x")
  %c = compass.convolution(%x) {compass.tops = ["c"], num_output = 2 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense_resource<weights> : tensor<2x1x1x2xf32>, biases = dense_resource<biases> : tensor<2xf32>} : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32> loc("c")
  %n = compass.batch_norm(%c) {compass.tops = ["n"], axis = 3 : i64, weights = dense<[2.0, 3.0]> : tensor<2xf32>, biases = dense<[1.0, 5.0]> : tensor<2xf32>} : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32> loc("n")
  return %c, %n : tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>
}
{-# dialect_resources: {builtin: {
  weights: "0x040000000000803F000000400000404000008040",
  biases: "0x040000000000803F00000040"
}} #-}
