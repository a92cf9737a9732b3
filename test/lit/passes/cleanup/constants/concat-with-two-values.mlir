// Constants of different values are no border.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fold-constants))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK-NOT: compass.pad(
// CHECK: compass.concat(
func.func @main() -> tensor<1x3xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x1xf32> loc("x")
  %k = compass.constant() {compass.tops = ["k"], weights = dense<[[0.0]]> : tensor<1x1xf32>} : () -> tensor<1x1xf32> loc("k")
  %l = compass.constant() {compass.tops = ["l"], weights = dense<[[1.0]]> : tensor<1x1xf32>} : () -> tensor<1x1xf32> loc("l")
  %y = compass.concat(%k, %x, %l) {compass.tops = ["y"], axis = 1 : i64} : (tensor<1x1xf32>, tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x3xf32> loc("y")
  return %y : tensor<1x3xf32>
}
