// An output stays a layer, though all that it reads is constant.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fold-constants))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[Y:.*]] = compass.activation
// CHECK: return %[[Y]]
func.func @main() -> tensor<1x4xf32> {
  %c = compass.constant() {compass.tops = ["c"], weights = dense<"0x0000803F000000C000004040000080C0"> : tensor<1x4xf32>} : () -> tensor<1x4xf32> loc("c")
  %y = compass.activation(%c) {compass.tops = ["y"], method = "RELU"} : (tensor<1x4xf32>) -> tensor<1x4xf32> loc("y")
  return %y : tensor<1x4xf32>
}
