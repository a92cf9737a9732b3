// A product has no key for an exchange of batch axes: the transpose stays.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(sink-transposes))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[T:.*]] = compass.transpose
// CHECK: compass.matmul(%[[T]],
func.func @main() -> tensor<3x2x2xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<2x3x4xf32> loc("x")
  %z = compass.input() {compass.tops = ["z"], input_index = 1 : i64} : () -> tensor<3x2x4xf32> loc("z")
  %t = compass.transpose(%x) {compass.tops = ["t"], perm = array<i64: 1, 0, 2>} : (tensor<2x3x4xf32>) -> tensor<3x2x4xf32> loc("t")
  %y = compass.matmul(%t, %z) {compass.tops = ["y"], trans_b = true} : (tensor<3x2x4xf32>, tensor<3x2x4xf32>) -> tensor<3x2x2xf32> loc("y")
  return %y : tensor<3x2x2xf32>
}
