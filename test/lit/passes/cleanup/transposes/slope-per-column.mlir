// A PRELU whose slopes vary along an axis does not let the axes change.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(sink-transposes))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[T:.*]] = compass.transpose
// CHECK: compass.activation(%[[T]])
// CHECK-NOT: compass.transpose
func.func @main() -> tensor<1x3x4x5xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x5x3xf32> loc("x")
  %t = compass.transpose(%x) {compass.tops = ["t"], perm = array<i64: 0, 3, 1, 2>} : (tensor<1x4x5x3xf32>) -> tensor<1x3x4x5xf32> loc("t")
  %y = compass.activation(%t) {compass.tops = ["y"], method = "PRELU", negative_slope = dense<"0x0000803E0000003F0000003E0000803F00000040"> : tensor<5xf32>} : (tensor<1x3x4x5xf32>) -> tensor<1x3x4x5xf32> loc("y")
  return %y : tensor<1x3x4x5xf32>
}
