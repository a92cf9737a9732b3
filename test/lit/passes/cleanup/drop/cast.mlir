// A cast to the type that the tensor has is a copy: it goes.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(drop-identities))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[X:.*]] = compass.input
// CHECK-NOT: compass.cast
// CHECK: compass.activation(%[[X]])
func.func @main() -> tensor<1x4x4x2xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x4x2xf32> loc("x")
  %i = compass.cast(%x) {compass.tops = ["i"]} : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32> loc("i")
  %y = compass.activation(%i) {compass.tops = ["y"], method = "RELU"} : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32> loc("y")
  return %y : tensor<1x4x4x2xf32>
}
