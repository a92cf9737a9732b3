// A sub-graph that is both branches takes the operands of the branch that is
// taken.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(fold-branches)' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[X:.*]] = compass.input() {compass.tops = ["x"]}
// CHECK: %[[Y:.*]] = compass.input() {compass.tops = ["y"]}
// CHECK: compass.activation(%[[X]]) {compass.tops = ["a"]
// CHECK: compass.activation(%[[Y]]) {compass.tops = ["b"]
func.func @main() -> (tensor<1x4xf32>, tensor<1x4xf32>) {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4xf32> loc("x")
  %y = compass.input() {compass.tops = ["y"]} : () -> tensor<1x4xf32> loc("y")
  %c = compass.constant() {compass.tops = ["c"], weights = dense<1> : tensor<1xi32>} : () -> tensor<1xi32> loc("c")
  %d = compass.constant() {compass.tops = ["d"], weights = dense<0> : tensor<1xi32>} : () -> tensor<1xi32> loc("d")
  %a = compass.if(%c, %x, %y) {compass.tops = ["a"], then_branch = @relu, else_branch = @relu, then_branch_inputs_num = 1 : i64, else_branch_inputs_num = 1 : i64} : (tensor<1xi32>, tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32> loc("first")
  %b = compass.if(%d, %x, %y) {compass.tops = ["b"], then_branch = @relu, else_branch = @relu, then_branch_inputs_num = 1 : i64, else_branch_inputs_num = 1 : i64} : (tensor<1xi32>, tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32> loc("second")
  return %a, %b : tensor<1x4xf32>, tensor<1x4xf32>
}
func.func @relu() -> (tensor<1x4xf32>) {
  %x = compass.input() {compass.tops = ["rx"]} : () -> tensor<1x4xf32> loc("rx")
  %t = compass.activation(%x) {compass.tops = ["t"], method = "RELU"} : (tensor<1x4xf32>) -> tensor<1x4xf32> loc("t")
  return %t : tensor<1x4xf32>
}
