// Two groups that are cut at other places than the axes lie.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(sink-transposes))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[T:.*]] = compass.transpose
// CHECK: compass.reshape(%[[T]])
func.func @main() -> tensor<2x12xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<6x4xf32> loc("x")
  %a = compass.transpose(%x) {compass.tops = ["a"], perm = array<i64: 1, 0>} : (tensor<6x4xf32>) -> tensor<4x6xf32> loc("a")
  %y = compass.reshape(%a) {compass.tops = ["y"], shape = array<i64: 2, 12>} : (tensor<4x6xf32>) -> tensor<2x12xf32> loc("y")
  return %y : tensor<2x12xf32>
}
