// A factor that varies along another axis stays.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fold-into-weights))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[N:.*]] = compass.layer_norm(
// CHECK: compass.eltwise(%[[N]]
func.func @main() -> tensor<2x3xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<2x3xf32> loc("x")
  %n = compass.layer_norm(%x) {compass.tops = ["n"], axis = array<i64: 1>, epsilon = 1.000000e-05 : f64, weights = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>, biases = dense<[0.0, 1.0, 2.0]> : tensor<3xf32>} : (tensor<2x3xf32>) -> tensor<2x3xf32> loc("n")
  %k = compass.constant() {compass.tops = ["k"], weights = dense<[[1.0], [2.0]]> : tensor<2x1xf32>} : () -> tensor<2x1xf32> loc("k")
  %y = compass.eltwise(%n, %k) {compass.tops = ["y"], method = "MUL"} : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32> loc("y")
  return %y : tensor<2x3xf32>
}
