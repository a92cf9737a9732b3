// Pixels and rows that are repeated by joining a tensor with itself, between reshapes, are a Resize; a whole image
// beside itself is none.
// RUN: yarrow-opt %s --split-input-file --fuse-formulas | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[X:.*]] = compass.input
// CHECK: %[[T:.*]] = compass.transpose(%[[X]]) {compass.tops = ["y_pixels"], perm = array<i64: 0, 2, 3, 1>}
// CHECK: %[[R:.*]] = compass.resize(%[[T]]) {{{.*}}method = "NEAREST", mode = "ASYMMETRIC", nearest_mode = "FLOOR", size = array<i64: 1, 10, 12, 4>}
// CHECK: compass.transpose(%[[R]]) {compass.tops = ["y"], perm = array<i64: 0, 3, 1, 2>}
func.func @main() -> tensor<1x4x10x12xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x5x6xf32> loc("x")
  %a = compass.reshape(%x) {compass.tops = ["a"], shape = array<i64: 120, 1>} : (tensor<1x4x5x6xf32>) -> tensor<120x1xf32> loc("a")
  %b = compass.concat(%a, %a) {compass.tops = ["b"], axis = 1 : i64} : (tensor<120x1xf32>, tensor<120x1xf32>) -> tensor<120x2xf32> loc("b")
  %c = compass.reshape(%b) {compass.tops = ["c"], shape = array<i64: 20, 12>} : (tensor<120x2xf32>) -> tensor<20x12xf32> loc("c")
  %d = compass.concat(%c, %c) {compass.tops = ["d"], axis = 1 : i64} : (tensor<20x12xf32>, tensor<20x12xf32>) -> tensor<20x24xf32> loc("d")
  %y = compass.reshape(%d) {compass.tops = ["y"], shape = array<i64: 1, 4, 10, 12>} : (tensor<20x24xf32>) -> tensor<1x4x10x12xf32> loc("y")
  return %y : tensor<1x4x10x12xf32>
}

// -----

// CHECK-LABEL: @main
// CHECK: compass.concat
// CHECK-NOT: compass.resize
func.func @main() -> tensor<1x4x10x6xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x5x6xf32> loc("x")
  %a = compass.concat(%x, %x) {compass.tops = ["a"], axis = 2 : i64} : (tensor<1x4x5x6xf32>, tensor<1x4x5x6xf32>) -> tensor<1x4x10x6xf32> loc("a")
  %b = compass.reshape(%a) {compass.tops = ["b"], shape = array<i64: 4, 60>} : (tensor<1x4x10x6xf32>) -> tensor<4x60xf32> loc("b")
  %y = compass.reshape(%b) {compass.tops = ["y"], shape = array<i64: 1, 4, 10, 6>} : (tensor<4x60xf32>) -> tensor<1x4x10x6xf32> loc("y")
  return %y : tensor<1x4x10x6xf32>
}

// -----

// With channels last nothing is transposed.
// CHECK-LABEL: @main
// CHECK: %[[X:.*]] = compass.input
// CHECK-NEXT: compass.resize(%[[X]]) {{{.*}}size = array<i64: 1, 10, 12, 4>}
// CHECK-NEXT: return
func.func @main() -> tensor<1x10x12x4xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x5x6x4xf32> loc("x")
  %a = compass.reshape(%x) {compass.tops = ["a"], shape = array<i64: 30, 4>} : (tensor<1x5x6x4xf32>) -> tensor<30x4xf32> loc("a")
  %b = compass.concat(%a, %a) {compass.tops = ["b"], axis = 1 : i64} : (tensor<30x4xf32>, tensor<30x4xf32>) -> tensor<30x8xf32> loc("b")
  %c = compass.reshape(%b) {compass.tops = ["c"], shape = array<i64: 5, 48>} : (tensor<30x8xf32>) -> tensor<5x48xf32> loc("c")
  %d = compass.concat(%c, %c) {compass.tops = ["d"], axis = 1 : i64} : (tensor<5x48xf32>, tensor<5x48xf32>) -> tensor<5x96xf32> loc("d")
  %y = compass.reshape(%d) {compass.tops = ["y"], shape = array<i64: 1, 10, 12, 4>} : (tensor<5x96xf32>) -> tensor<1x10x12x4xf32> loc("y")
  return %y : tensor<1x10x12x4xf32>
}

// -----

// Rows and channels are not both pixels.
// CHECK-LABEL: @main
// CHECK: compass.concat
// CHECK-NOT: compass.resize
func.func @main() -> tensor<1x10x6x8xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x5x6x4xf32> loc("x")
  %a = compass.reshape(%x) {compass.tops = ["a"], shape = array<i64: 120, 1>} : (tensor<1x5x6x4xf32>) -> tensor<120x1xf32> loc("a")
  %b = compass.concat(%a, %a) {compass.tops = ["b"], axis = 1 : i64} : (tensor<120x1xf32>, tensor<120x1xf32>) -> tensor<120x2xf32> loc("b")
  %c = compass.reshape(%b) {compass.tops = ["c"], shape = array<i64: 5, 48>} : (tensor<120x2xf32>) -> tensor<5x48xf32> loc("c")
  %d = compass.concat(%c, %c) {compass.tops = ["d"], axis = 1 : i64} : (tensor<5x48xf32>, tensor<5x48xf32>) -> tensor<5x96xf32> loc("d")
  %y = compass.reshape(%d) {compass.tops = ["y"], shape = array<i64: 1, 10, 6, 8>} : (tensor<5x96xf32>) -> tensor<1x10x6x8xf32> loc("y")
  return %y : tensor<1x10x6x8xf32>
}
