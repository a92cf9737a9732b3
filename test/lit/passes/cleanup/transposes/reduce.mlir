// Reduced axes are those of the tensor before the transpose, in order.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(sink-transposes))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: compass.reduce{{.*}}axis = array<i64: 2, 3>{{.*}}-> tensor<1x4x1x1xf32>
// CHECK: return
func.func @main() -> tensor<1x1x4x1xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x5x3xf32> loc("x")
  %t = compass.transpose(%x) {compass.tops = ["t"], perm = array<i64: 0, 3, 1, 2>} : (tensor<1x4x5x3xf32>) -> tensor<1x3x4x5xf32> loc("t")
  %y = compass.reduce(%t) {compass.tops = ["y"], axis = array<i64: 1, 3>, method = "MEAN"} : (tensor<1x3x4x5xf32>) -> tensor<1x1x4x1xf32> loc("y")
  return %y : tensor<1x1x4x1xf32>
}
