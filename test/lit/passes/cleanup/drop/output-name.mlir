// A copy that is an output leaves its name to the layer that computes it.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(drop-identities))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[Y:.*]] = compass.activation{{.*}}compass.tops = ["out"]
// CHECK-NOT: compass.reshape
// CHECK: return %[[Y]]
func.func @main() -> tensor<1x8xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x8xf32> loc("x")
  %y = compass.activation(%x) {compass.tops = ["y"], method = "RELU"} : (tensor<1x8xf32>) -> tensor<1x8xf32> loc("y")
  %out = compass.reshape(%y) {compass.tops = ["out"], shape = array<i64: 1, 8>} : (tensor<1x8xf32>) -> tensor<1x8xf32> loc("out")
  return %out : tensor<1x8xf32>
}
