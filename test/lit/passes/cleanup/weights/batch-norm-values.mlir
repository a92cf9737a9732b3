// BatchNorm multiplies the rows of the weights and the biases by its own weights
// and adds its biases.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fold-into-weights))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: compass.fully_connected{{.*}}compass.tops = ["n"]
// CHECK-NOT: compass.batch_norm
// Biases 1 * 2 + 1 and 2 * 3 + 5, weights [1 2] * 2 and [3 4] * 3.
// CHECK-DAG: biases: "0x{{........}}0000404000003041"
// CHECK-DAG: weights: "0x{{........}}00000040000080400000104100004041"
func.func @main() -> tensor<1x2xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x2xf32> loc("x")
  %f = compass.fully_connected(%x) {compass.tops = ["f"], num_output = 2 : i64, weights = dense<"0x0000803F000000400000404000008040"> : tensor<2x2xf32>, biases = dense<[1.0, 2.0]> : tensor<2xf32>} : (tensor<1x2xf32>) -> tensor<1x2xf32> loc("f")
  %n = compass.batch_norm(%f) {compass.tops = ["n"], axis = 1 : i64, weights = dense<[2.0, 3.0]> : tensor<2xf32>, biases = dense<[1.0, 5.0]> : tensor<2xf32>} : (tensor<1x2xf32>) -> tensor<1x2xf32> loc("n")
  return %n : tensor<1x2xf32>
}
