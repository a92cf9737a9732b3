// A Split cuts the axis that it was before the transpose.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(sink-transposes))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[S:.*]]:2 = compass.split{{.*}}axis = 3 : i64{{.*}}-> (tensor<1x4x5x2xf32>, tensor<1x4x5x4xf32>)
// CHECK: compass.transpose(%[[S]]#{{.*}}compass.tops = ["{{[yz]}}"]
// CHECK: compass.transpose(%[[S]]#{{.*}}compass.tops = ["{{[yz]}}"]
func.func @main() -> (tensor<1x2x4x5xf32>, tensor<1x4x4x5xf32>) {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x5x6xf32> loc("x")
  %a = compass.transpose(%x) {compass.tops = ["a"], perm = array<i64: 0, 3, 1, 2>} : (tensor<1x4x5x6xf32>) -> tensor<1x6x4x5xf32> loc("a")
  %y:2 = compass.split(%a) {compass.tops = ["y", "z"], axis = 1 : i64, splits = array<i64: 2, 4>} : (tensor<1x6x4x5xf32>) -> (tensor<1x2x4x5xf32>, tensor<1x4x4x5xf32>) loc("y")
  return %y#0, %y#1 : tensor<1x2x4x5xf32>, tensor<1x4x4x5xf32>
}
