// A layer of constants is computed at once, if its result stays small.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fold-constants))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: compass.constant{{.*}}compass.tops = ["p"]{{.*}}tensor<1x6xf32>
// CHECK-NOT: compass.pad
// CHECK: return
// CHECK: "0x{{........}}000000000000803F00000040000000000000000000000000"
func.func @main() -> tensor<1x6xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x6xf32> loc("x")
  %c = compass.constant() {compass.tops = ["c"], weights = dense<"0x0000803F00000040"> : tensor<1x2xf32>} : () -> tensor<1x2xf32> loc("c")
  %p = compass.pad(%c) {compass.tops = ["p"], mode = "CONSTANT", pads = [array<i64: 0, 0>, array<i64: 1, 3>]} : (tensor<1x2xf32>) -> tensor<1x6xf32> loc("p")
  %y = compass.eltwise(%x, %p) {compass.tops = ["y"]} : (tensor<1x6xf32>, tensor<1x6xf32>) -> tensor<1x6xf32> loc("y")
  return %y : tensor<1x6xf32>
}
