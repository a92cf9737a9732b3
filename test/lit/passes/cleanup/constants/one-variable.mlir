// One operand that is not constant keeps the layer.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fold-constants))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[X:.*]] = compass.input
// CHECK: %[[C:.*]] = compass.constant
// CHECK: compass.eltwise(%[[X]], %[[C]])
func.func @main() -> tensor<1x4xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4xf32> loc("x")
  %c = compass.constant() {compass.tops = ["c"], weights = dense<"0x0000803F000000C000004040000080C0"> : tensor<1x4xf32>} : () -> tensor<1x4xf32> loc("c")
  %s = compass.eltwise(%x, %c) {compass.tops = ["s"]} : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32> loc("s")
  %y = compass.activation(%s) {compass.tops = ["y"], method = "RELU"} : (tensor<1x4xf32>) -> tensor<1x4xf32> loc("y")
  return %y : tensor<1x4xf32>
}
