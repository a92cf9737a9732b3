// Past one of two readers a transpose moves if it vanishes behind it; then it has the other reader alone, past which it
// moves, too.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(sink-transposes))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[X:.*]] = compass.input() {compass.tops = ["x"]}
// CHECK-NOT: compass.transpose
// CHECK: compass.activation(%[[X]]) {compass.tops = ["b"]}
// CHECK-NEXT: compass.activation(%[[X]]){{.*}}SIGMOID
// CHECK-NEXT: compass.transpose
// CHECK-NEXT: return
func.func @main() -> (tensor<1x4x5x3xf32>, tensor<1x3x4x5xf32>) {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x5x3xf32> loc("x")
  %t = compass.transpose(%x) {compass.tops = ["t"], perm = array<i64: 0, 3, 1, 2>} : (tensor<1x4x5x3xf32>) -> tensor<1x3x4x5xf32> loc("t")
  %a = compass.activation(%t) {compass.tops = ["a"], method = "RELU"} : (tensor<1x3x4x5xf32>) -> tensor<1x3x4x5xf32> loc("a")
  %b = compass.transpose(%a) {compass.tops = ["b"], perm = array<i64: 0, 2, 3, 1>} : (tensor<1x3x4x5xf32>) -> tensor<1x4x5x3xf32> loc("b")
  %c = compass.activation(%t) {compass.tops = ["c"], method = "SIGMOID"} : (tensor<1x3x4x5xf32>) -> tensor<1x3x4x5xf32> loc("c")
  return %b, %c : tensor<1x4x5x3xf32>, tensor<1x3x4x5xf32>
}
