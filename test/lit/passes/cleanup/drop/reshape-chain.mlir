// A reshape of a reshape reads the first one's input, also if the first one stays for others.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(drop-identities))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[X:.*]] = compass.input
// CHECK: compass.reshape(%[[X]]){{.*}}shape = array<i64: 1, 24>
// CHECK: compass.reshape(%[[X]]){{.*}}shape = array<i64: 1, 6, 4>
func.func @main() -> (tensor<1x24xf32>, tensor<1x6x4xf32>) {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x6xf32> loc("x")
  %r = compass.reshape(%x) {compass.tops = ["r"], shape = array<i64: 1, 24>} : (tensor<1x4x6xf32>) -> tensor<1x24xf32> loc("r")
  %s = compass.reshape(%r) {compass.tops = ["s"], shape = array<i64: 1, 6, 4>} : (tensor<1x24xf32>) -> tensor<1x6x4xf32> loc("s")
  %a = compass.activation(%r) {compass.tops = ["a"], method = "RELU"} : (tensor<1x24xf32>) -> tensor<1x24xf32> loc("a")
  %b = compass.activation(%s) {compass.tops = ["b"], method = "RELU"} : (tensor<1x6x4xf32>) -> tensor<1x6x4xf32> loc("b")
  return %a, %b : tensor<1x24xf32>, tensor<1x6x4xf32>
}
