// Past one of two readers it would stay for the other: a transpose that is read twice does not move.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(sink-transposes))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[T:.*]] = compass.transpose
// CHECK-DAG: compass.activation(%[[T]]) {compass.tops = ["a"]}
// CHECK-DAG: compass.activation(%[[T]]){{.*}}SIGMOID
// CHECK-NOT: compass.transpose
func.func @main() -> tensor<1x6x4x5xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x5x3xf32> loc("x")
  %t = compass.transpose(%x) {compass.tops = ["t"], perm = array<i64: 0, 3, 1, 2>} : (tensor<1x4x5x3xf32>) -> tensor<1x3x4x5xf32> loc("t")
  %a = compass.activation(%t) {compass.tops = ["a"], method = "RELU"} : (tensor<1x3x4x5xf32>) -> tensor<1x3x4x5xf32> loc("a")
  %b = compass.activation(%t) {compass.tops = ["b"], method = "SIGMOID"} : (tensor<1x3x4x5xf32>) -> tensor<1x3x4x5xf32> loc("b")
  %y = compass.concat(%a, %b) {compass.tops = ["y"], axis = 1 : i64} : (tensor<1x3x4x5xf32>, tensor<1x3x4x5xf32>) -> tensor<1x6x4x5xf32> loc("y")
  return %y : tensor<1x6x4x5xf32>
}
