// An activation inside of the layer is not linear: what follows stays.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fold-into-weights))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[F:.*]] = compass.fully_connected
// CHECK: compass.batch_norm(%[[F]])
func.func @main() -> tensor<1x2xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x2xf32> loc("x")
  %f = compass.fully_connected(%x) {compass.tops = ["f"], num_output = 2 : i64, weights = dense<"0x0000803F000000400000404000008040"> : tensor<2x2xf32>, biases = dense<[1.0, 2.0]> : tensor<2xf32>, with_activation = "RELU"} : (tensor<1x2xf32>) -> tensor<1x2xf32> loc("f")
  %n = compass.batch_norm(%f) {compass.tops = ["n"], axis = 1 : i64, weights = dense<[2.0, 3.0]> : tensor<2xf32>, biases = dense<[1.0, 5.0]> : tensor<2xf32>} : (tensor<1x2xf32>) -> tensor<1x2xf32> loc("n")
  return %n : tensor<1x2xf32>
}
