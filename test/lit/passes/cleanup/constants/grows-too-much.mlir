// A constant that is much larger than what it is made of would cost bandwidth: the layer stays.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fold-constants))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[C:.*]] = compass.constant{{.*}}tensor<1x2xf32>
// CHECK: compass.pad(%[[C]])
func.func @main() -> tensor<1x20000xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x20000xf32> loc("x")
  %c = compass.constant() {compass.tops = ["c"], weights = dense<"0x0000803F00000040"> : tensor<1x2xf32>} : () -> tensor<1x2xf32> loc("c")
  %p = compass.pad(%c) {compass.tops = ["p"], mode = "CONSTANT", pads = [array<i64: 0, 0>, array<i64: 1, 19997>]} : (tensor<1x2xf32>) -> tensor<1x20000xf32> loc("p")
  %y = compass.eltwise(%x, %p) {compass.tops = ["y"]} : (tensor<1x20000xf32>, tensor<1x20000xf32>) -> tensor<1x20000xf32> loc("y")
  return %y : tensor<1x20000xf32>
}
