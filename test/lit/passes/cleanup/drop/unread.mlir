// A layer that nobody reads goes; an input that nobody reads is part of the interface and stays.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(drop-identities))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK-DAG: compass.input{{.*}}compass.tops = ["x"]
// CHECK-DAG: compass.input{{.*}}compass.tops = ["unread"]
// CHECK-NOT: compass.tops = ["dead"]
// CHECK: compass.activation{{.*}}compass.tops = ["y"]
func.func @main() -> tensor<1x8xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x8xf32> loc("x")
  %unread = compass.input() {compass.tops = ["unread"], input_index = 1 : i64} : () -> tensor<1x8xf32> loc("unread")
  %dead = compass.activation(%unread) {compass.tops = ["dead"], method = "RELU"} : (tensor<1x8xf32>) -> tensor<1x8xf32> loc("dead")
  %y = compass.activation(%x) {compass.tops = ["y"], method = "RELU"} : (tensor<1x8xf32>) -> tensor<1x8xf32> loc("y")
  return %y : tensor<1x8xf32>
}
