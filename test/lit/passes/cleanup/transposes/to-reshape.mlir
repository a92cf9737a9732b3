// Moving an axis of length one changes no order: a reshape, which costs nothing.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(sink-transposes))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: compass.reshape{{.*}}shape = array<i64: 1, 1, 4, 3>
// CHECK-NOT: compass.transpose
// CHECK: return
func.func @main() -> tensor<1x1x4x3xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x1x3xf32> loc("x")
  %t = compass.transpose(%x) {compass.tops = ["t"], perm = array<i64: 0, 2, 1, 3>} : (tensor<1x4x1x3xf32>) -> tensor<1x1x4x3xf32> loc("t")
  %y = compass.softmax(%t) {compass.tops = ["y"], axis = 3 : i64} : (tensor<1x1x4x3xf32>) -> tensor<1x1x4x3xf32> loc("y")
  return %y : tensor<1x1x4x3xf32>
}
