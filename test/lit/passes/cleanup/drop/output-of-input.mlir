// An output that copies an input stays a layer: the input keeps its own name.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(drop-identities))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: compass.input{{.*}}compass.tops = ["x"]
// CHECK: %[[OUT:.*]] = compass.reshape{{.*}}compass.tops = ["out"]
// CHECK: return %[[OUT]]
func.func @main() -> tensor<1x8xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x8xf32> loc("x")
  %out = compass.reshape(%x) {compass.tops = ["out"], shape = array<i64: 1, 8>} : (tensor<1x8xf32>) -> tensor<1x8xf32> loc("out")
  return %out : tensor<1x8xf32>
}
