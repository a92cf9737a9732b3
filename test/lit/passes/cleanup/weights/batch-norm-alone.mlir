// BatchNorm without a layer before it that has weights stays.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fold-into-weights))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[X:.*]] = compass.input
// CHECK: compass.batch_norm(%[[X]])
func.func @main() -> tensor<1x2xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x2xf32> loc("x")
  %n = compass.batch_norm(%x) {compass.tops = ["n"], axis = 1 : i64, weights = dense<[2.0, 3.0]> : tensor<2xf32>, biases = dense<[1.0, 5.0]> : tensor<2xf32>} : (tensor<1x2xf32>) -> tensor<1x2xf32> loc("n")
  return %n : tensor<1x2xf32>
}
