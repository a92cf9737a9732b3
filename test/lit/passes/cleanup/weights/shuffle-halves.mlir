// The half of shuffled channels that a slice takes is a result of its own; the convolution of the other half reads all
// channels before the shuffle.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fold-into-weights))' | FileCheck %s

!q = !quant.uniform<i8:f32, 0.5>
// CHECK-LABEL: @main
// CHECK: %[[X:.*]] = compass.input
// CHECK: %[[S:.*]]:2 = compass.channel_shuffle(%[[X]])
// CHECK-SAME: compass.tops = ["k", "s.part1"]
// CHECK-SAME: splits = 2
// CHECK: %[[Y:.*]] = compass.convolution(%[[X]])
// CHECK: return %[[S]]#0, %[[Y]]
// CHECK: weights{{.*}}: "0x{{........}}00010002"
func.func @main() -> (tensor<1x9x9x2x!q>, tensor<1x9x9x1x!q>) {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x9x9x4x!q> loc("x")
  %s = compass.channel_shuffle(%x) {compass.tops = ["s"], group = 2 : i64} : (tensor<1x9x9x4x!q>) -> tensor<1x9x9x4x!q> loc("s")
  %k = compass.slice(%s) {compass.tops = ["k"], begin = array<i64: 0, 0, 0, 0>, end = array<i64: 1, 9, 9, 2>, strides = array<i64: 1, 1, 1, 1>} : (tensor<1x9x9x4x!q>) -> tensor<1x9x9x2x!q> loc("k")
  %r = compass.slice(%s) {compass.tops = ["r"], begin = array<i64: 0, 0, 0, 2>, end = array<i64: 1, 9, 9, 4>, strides = array<i64: 1, 1, 1, 1>} : (tensor<1x9x9x4x!q>) -> tensor<1x9x9x2x!q> loc("r")
  %y = compass.convolution(%r) {compass.tops = ["y"], num_output = 1 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense<"0x0102"> : tensor<1x1x1x2xi8>, biases = dense<1> : tensor<1xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x9x9x2x!q>) -> tensor<1x9x9x1x!q> loc("y")
  return %k, %y : tensor<1x9x9x2x!q>, tensor<1x9x9x1x!q>
}
