// Shuffled channels that another layer than a slice reads stay whole, whatever shape that layer has.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fold-into-weights))' | FileCheck %s

!q = !quant.uniform<i8:f32, 0.5>
// CHECK-LABEL: @main
// CHECK: %[[S:.*]] = compass.channel_shuffle
// CHECK: compass.reshape(%[[S]])
func.func @main() -> tensor<!q> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x1x1x1x!q> loc("x")
  %s = compass.channel_shuffle(%x) {compass.tops = ["s"], group = 1 : i64} : (tensor<1x1x1x1x!q>) -> tensor<1x1x1x1x!q> loc("s")
  %y = compass.reshape(%s) {compass.tops = ["y"], shape = array<i64>} : (tensor<1x1x1x1x!q>) -> tensor<!q> loc("y")
  return %y : tensor<!q>
}
