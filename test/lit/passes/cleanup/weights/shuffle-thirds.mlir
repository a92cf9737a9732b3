// A slice that takes no equal part of the channels leaves the shuffle whole.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fold-into-weights))' | FileCheck %s

!q = !quant.uniform<i8:f32, 0.5>
// CHECK-LABEL: @main
// CHECK: %[[S:.*]] = compass.channel_shuffle
// CHECK-NOT: splits = 2
// CHECK: compass.slice(%[[S]])
func.func @main() -> tensor<1x9x9x2x!q> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x9x9x4x!q> loc("x")
  %s = compass.channel_shuffle(%x) {compass.tops = ["s"], group = 2 : i64} : (tensor<1x9x9x4x!q>) -> tensor<1x9x9x4x!q> loc("s")
  %k = compass.slice(%s) {compass.tops = ["k"], begin = array<i64: 0, 0, 0, 1>, end = array<i64: 1, 9, 9, 3>, strides = array<i64: 1, 1, 1, 1>} : (tensor<1x9x9x4x!q>) -> tensor<1x9x9x2x!q> loc("k")
  return %k : tensor<1x9x9x2x!q>
}
