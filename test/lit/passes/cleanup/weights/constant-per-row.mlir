// A constant that differs from row to row is none per channel, though there are as many: it stays.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fold-into-weights))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: compass.fully_connected
// CHECK: compass.eltwise
func.func @main() -> tensor<2x2xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<2x2xf32> loc("x")
  %f = compass.fully_connected(%x) {compass.tops = ["f"], num_output = 2 : i64, weights = dense<"0x0000803F000000400000404000008040"> : tensor<2x2xf32>, biases = dense<[1.0, 2.0]> : tensor<2xf32>} : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("f")
  %c = compass.constant() {compass.tops = ["c"], weights = dense<"0x0000803F00000040"> : tensor<2x1xf32>} : () -> tensor<2x1xf32> loc("c")
  %y = compass.eltwise(%f, %c) {compass.tops = ["y"], method = "ADD"} : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x2xf32> loc("y")
  return %y : tensor<2x2xf32>
}
