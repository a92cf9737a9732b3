// Each result of a layer of constants becomes a constant with its name.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fold-constants))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK-NOT: compass.split
// CHECK-DAG: %[[A:.*]] = compass.constant{{.*}}compass.tops = ["a"]
// CHECK-DAG: %[[B:.*]] = compass.constant{{.*}}compass.tops = ["b"]
// CHECK: %[[S:.*]] = compass.eltwise({{.*}}, %[[A]])
// CHECK: compass.eltwise(%[[S]], %[[B]])
func.func @main() -> tensor<1x2xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x2xf32> loc("x")
  %c = compass.constant() {compass.tops = ["c"], weights = dense<"0x0000803F000000400000404000008040"> : tensor<1x4xf32>} : () -> tensor<1x4xf32> loc("c")
  %a, %b = compass.split(%c) {compass.tops = ["a", "b"], axis = 1 : i64, splits = array<i64: 2, 2>} : (tensor<1x4xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>) loc("a")
  %s = compass.eltwise(%x, %a) {compass.tops = ["s"]} : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32> loc("s")
  %y = compass.eltwise(%s, %b) {compass.tops = ["y"]} : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xf32> loc("y")
  return %y : tensor<1x2xf32>
}
