// Of two layers that read a convolution none goes into its weights, whatever it is: the other one
// would read something else.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fold-into-weights))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[C:.*]] = compass.convolution
// CHECK-DAG: compass.batch_norm(%[[C]])
// CHECK-DAG: compass.eltwise(%[[C]], %{{.*}}) {{.*}}method = "MUL"
// CHECK: %[[D:.*]] = compass.convolution
// CHECK-DAG: compass.eltwise(%[[D]], %{{.*}}) {compass.tops = ["a"]}
// CHECK-DAG: compass.eltwise(%{{.*}}, %[[D]]) {{.*}}method = "SUB"
// CHECK-DAG: weights: "0x{{........}}0000803F000000400000404000008040"
func.func @main() -> (tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>) {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x2x2x2xf32> loc("x")
  %k = compass.constant() {compass.tops = ["k"], weights = dense<[3.0, 5.0]> : tensor<2xf32>} : () -> tensor<2xf32> loc("k")
  %c = compass.convolution(%x) {compass.tops = ["c"], num_output = 2 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense_resource<weights> : tensor<2x1x1x2xf32>, biases = dense<[1.0, 2.0]> : tensor<2xf32>} : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32> loc("c")
  %n = compass.batch_norm(%c) {compass.tops = ["n"], axis = 3 : i64, weights = dense<[2.0, 3.0]> : tensor<2xf32>, biases = dense<[1.0, 5.0]> : tensor<2xf32>} : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32> loc("n")
  %m = compass.eltwise(%c, %k) {compass.tops = ["m"], method = "MUL"} : (tensor<1x2x2x2xf32>, tensor<2xf32>) -> tensor<1x2x2x2xf32> loc("m")
  %d = compass.convolution(%x) {compass.tops = ["d"], num_output = 2 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense_resource<weights> : tensor<2x1x1x2xf32>, biases = dense<[1.0, 2.0]> : tensor<2xf32>} : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32> loc("d")
  %a = compass.eltwise(%d, %k) {compass.tops = ["a"], method = "ADD"} : (tensor<1x2x2x2xf32>, tensor<2xf32>) -> tensor<1x2x2x2xf32> loc("a")
  %s = compass.eltwise(%k, %d) {compass.tops = ["s"], method = "SUB"} : (tensor<2xf32>, tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32> loc("s")
  return %n, %m, %a, %s : tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>
}
{-# dialect_resources: {builtin: {
  weights: "0x040000000000803F000000400000404000008040"
}} #-}
