// Updates whose places are known and are a box, row by row, are joined with the data around them, axis by axis; places
// in another order, sums of updates and updates of everything stay.
// RUN: yarrow-opt %s --split-input-file --fold-constants | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[X:.*]] = compass.input() {compass.tops = ["x"]}
// CHECK: %[[U:.*]] = compass.reshape({{.*}}) {compass.tops = ["y_updates"], shape = array<i64: 1, 2, 2, 3>}
// CHECK: %[[A:.*]] = compass.slice(%[[X]]) {begin = array<i64: 0, 1, 0, 0>, compass.tops = ["y_before2"], end = array<i64: 1, 3, 1, 3>
// CHECK: %[[J:.*]] = compass.concat(%[[A]], %[[U]]) {axis = 2 : i64, compass.tops = ["y_joined2"]}
// CHECK: %[[B:.*]] = compass.slice(%[[X]]) {begin = array<i64: 0, 0, 0, 0>, compass.tops = ["y_before1"], end = array<i64: 1, 1, 3, 3>
// CHECK: %[[C:.*]] = compass.slice(%[[X]]) {begin = array<i64: 0, 3, 0, 0>, compass.tops = ["y_after1"], end = array<i64: 1, 5, 3, 3>
// CHECK: compass.concat(%[[B]], %[[J]], %[[C]]) {axis = 1 : i64, compass.tops = ["y"]}
func.func @main() -> tensor<1x5x3x3xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x5x3x3xf32> loc("x")
  %u = compass.input() {compass.tops = ["u"], input_index = 1 : i64} : () -> tensor<4x3xf32> loc("u")
  %i = compass.constant() {compass.tops = ["i"], weights = dense<[[0, 1, 1], [0, 1, 2], [0, 2, -2], [0, 2, -1]]> : tensor<4x3xi32>} : () -> tensor<4x3xi32> loc("i")
  %y = compass.scatter_nd(%x, %i, %u) {compass.tops = ["y"]} : (tensor<1x5x3x3xf32>, tensor<4x3xi32>, tensor<4x3xf32>) -> tensor<1x5x3x3xf32> loc("y")
  return %y : tensor<1x5x3x3xf32>
}

// -----

// CHECK-LABEL: @main
// CHECK: compass.scatter_nd{{.*}}compass.tops = ["y"]
// CHECK: compass.scatter_nd{{.*}}compass.tops = ["z"]
func.func @main() -> (tensor<5x3xf32>, tensor<5x3xf32>) {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<5x3xf32> loc("x")
  %u = compass.input() {compass.tops = ["u"], input_index = 1 : i64} : () -> tensor<2x3xf32> loc("u")
  %i = compass.constant() {compass.tops = ["i"], weights = dense<[[3], [2]]> : tensor<2x1xi32>} : () -> tensor<2x1xi32> loc("i")
  %j = compass.constant() {compass.tops = ["j"], weights = dense<[[2], [3]]> : tensor<2x1xi32>} : () -> tensor<2x1xi32> loc("j")
  %y = compass.scatter_nd(%x, %i, %u) {compass.tops = ["y"]} : (tensor<5x3xf32>, tensor<2x1xi32>, tensor<2x3xf32>) -> tensor<5x3xf32> loc("y")
  %z = compass.scatter_nd(%x, %j, %u) {compass.tops = ["z"], reduction = "ADD"} : (tensor<5x3xf32>, tensor<2x1xi32>, tensor<2x3xf32>) -> tensor<5x3xf32> loc("z")
  return %y, %z : tensor<5x3xf32>, tensor<5x3xf32>
}
