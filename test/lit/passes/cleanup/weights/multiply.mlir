// A product with a constant per channel goes into weights and biases.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fold-into-weights))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: compass.fully_connected{{.*}}compass.tops = ["y"]
// CHECK-NOT: compass.eltwise
// CHECK-DAG: biases: "0x{{........}}000000400000C040"
// CHECK-DAG: weights: "0x{{........}}00000040000080400000104100004041"
func.func @main() -> tensor<1x2xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x2xf32> loc("x")
  %f = compass.fully_connected(%x) {compass.tops = ["f"], num_output = 2 : i64, weights = dense<"0x0000803F000000400000404000008040"> : tensor<2x2xf32>, biases = dense<[1.0, 2.0]> : tensor<2xf32>} : (tensor<1x2xf32>) -> tensor<1x2xf32> loc("f")
  %c = compass.constant() {compass.tops = ["c"], weights = dense<"0x0000004000004040"> : tensor<1x2xf32>} : () -> tensor<1x2xf32> loc("c")
  %y = compass.eltwise(%f, %c) {compass.tops = ["y"], method = "MUL"} : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32> loc("y")
  return %y : tensor<1x2xf32>
}
