// The branch that a constant condition chooses stands in place of the If, and
// what nobody calls any more is gone. A branch that is called twice is there
// under two names.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(fold-branches)' | FileCheck %s

// CHECK-LABEL: @main
// CHECK-NOT: compass.if
// CHECK: compass.activation(%[[X:.*]]) {compass.tops = ["first.t"]}
// CHECK: compass.activation{{.*}} {compass.tops = ["y"], method = "TANH"}
// CHECK: compass.activation(%[[X]]) {compass.tops = ["z"]}
// CHECK-NOT: func.func
func.func @main() -> (tensor<1x4xf32>, tensor<1x4xf32>) {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4xf32> loc("x")
  %c = compass.constant() {compass.tops = ["c"], weights = dense<1> : tensor<1xi32>} : () -> tensor<1xi32> loc("c")
  %d = compass.constant() {compass.tops = ["d"], weights = dense<0> : tensor<1xi32>} : () -> tensor<1xi32> loc("d")
  %a = compass.if(%c, %x, %x) {compass.tops = ["a"], then_branch = @relu, else_branch = @tanh, then_branch_inputs_num = 1 : i64, else_branch_inputs_num = 1 : i64} : (tensor<1xi32>, tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32> loc("first")
  %y = compass.activation(%a) {compass.tops = ["y"], method = "TANH"} : (tensor<1x4xf32>) -> tensor<1x4xf32> loc("y")
  %z = compass.if(%d, %x, %x) {compass.tops = ["z"], then_branch = @tanh, else_branch = @relu, then_branch_inputs_num = 1 : i64, else_branch_inputs_num = 1 : i64} : (tensor<1xi32>, tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32> loc("second")
  return %y, %z : tensor<1x4xf32>, tensor<1x4xf32>
}
func.func @relu() -> tensor<1x4xf32> {
  %x = compass.input() {compass.tops = ["rx"]} : () -> tensor<1x4xf32> loc("rx")
  %t = compass.activation(%x) {compass.tops = ["t"], method = "RELU"} : (tensor<1x4xf32>) -> tensor<1x4xf32> loc("t")
  return %t : tensor<1x4xf32>
}
func.func @tanh() -> tensor<1x4xf32> {
  %x = compass.input() {compass.tops = ["tx"]} : () -> tensor<1x4xf32> loc("tx")
  %u = compass.activation(%x) {compass.tops = ["u"], method = "TANH"} : (tensor<1x4xf32>) -> tensor<1x4xf32> loc("u")
  return %u : tensor<1x4xf32>
}
