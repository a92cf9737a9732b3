// A chain of layers behind a constant becomes one constant.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fold-constants))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: compass.constant{{.*}}compass.tops = ["r"]
// CHECK-NEXT: compass.eltwise
// Of [1 -2; 3 -4]: transposed, then at least 0.
// CHECK: "0x{{........}}0000803F000040400000000000000000"
func.func @main() -> tensor<2x2xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<2x2xf32> loc("x")
  %c = compass.constant() {compass.tops = ["c"], weights = dense<"0x0000803F000000C000004040000080C0"> : tensor<2x2xf32>} : () -> tensor<2x2xf32> loc("c")
  %t = compass.transpose(%c) {compass.tops = ["t"], perm = array<i64: 1, 0>} : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("t")
  %r = compass.activation(%t) {compass.tops = ["r"], method = "RELU"} : (tensor<2x2xf32>) -> tensor<2x2xf32> loc("r")
  %y = compass.eltwise(%x, %r) {compass.tops = ["y"]} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32> loc("y")
  return %y : tensor<2x2xf32>
}
