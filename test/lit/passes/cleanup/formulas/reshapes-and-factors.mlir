// Reshapes around the means do not matter; what follows becomes factor and offset of the norm.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fuse-formulas,sink-transposes,fold-into-weights))' | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[X:.*]] = compass.input
// CHECK-NEXT: compass.instance_norm(%[[X]]) {biases = dense_resource<{{.*}}> : tensor<3xf32>, compass.tops = ["y"], epsilon = {{.*}}, weights = dense_resource<{{.*}}> : tensor<3xf32>}
// CHECK-NEXT: return
// CHECK: biases{{.*}}: "0x{{[0-9A-F]+}}0000A0400000C0400000E040"
// CHECK: weights{{.*}}: "0x{{[0-9A-F]+}}000000400000404000008040"
func.func @main() -> tensor<1x4x6x3xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x6x3xf32> loc("x")
  %e = compass.constant() {compass.tops = ["e"], weights = dense<[1.000000e-05]> : tensor<1xf32>} : () -> tensor<1xf32> loc("e")
  %a = compass.transpose(%x) {compass.tops = ["a"], perm = array<i64: 0, 3, 1, 2>} : (tensor<1x4x6x3xf32>) -> tensor<1x3x4x6xf32> loc("a")
  %b = compass.reshape(%a) {compass.tops = ["b"], shape = array<i64: 1, 3, 1, 24>} : (tensor<1x3x4x6xf32>) -> tensor<1x3x1x24xf32> loc("b")
  %m = compass.reduce(%b) {compass.tops = ["m"], method = "MEAN", axis = array<i64: 3>} : (tensor<1x3x1x24xf32>) -> tensor<1x3x1x1xf32> loc("m")
  %d = compass.eltwise(%a, %m) {compass.tops = ["d"], method = "SUB"} : (tensor<1x3x4x6xf32>, tensor<1x3x1x1xf32>) -> tensor<1x3x4x6xf32> loc("d")
  %s = compass.eltwise(%d, %d) {compass.tops = ["s"], method = "MUL"} : (tensor<1x3x4x6xf32>, tensor<1x3x4x6xf32>) -> tensor<1x3x4x6xf32> loc("s")
  %g = compass.reshape(%s) {compass.tops = ["g"], shape = array<i64: 1, 3, 24>} : (tensor<1x3x4x6xf32>) -> tensor<1x3x24xf32> loc("g")
  %u = compass.reduce(%g) {compass.tops = ["u"], method = "MEAN", axis = array<i64: 2>} : (tensor<1x3x24xf32>) -> tensor<1x3x1xf32> loc("u")
  %v = compass.reshape(%u) {compass.tops = ["v"], shape = array<i64: 1, 3, 1, 1>} : (tensor<1x3x1xf32>) -> tensor<1x3x1x1xf32> loc("v")
  %w = compass.eltwise(%v, %e) {compass.tops = ["w"], method = "ADD"} : (tensor<1x3x1x1xf32>, tensor<1xf32>) -> tensor<1x3x1x1xf32> loc("w")
  %r = compass.sqrt(%w) {compass.tops = ["r"]} : (tensor<1x3x1x1xf32>) -> tensor<1x3x1x1xf32> loc("r")
  %n = compass.div(%d, %r) {compass.tops = ["n"]} : (tensor<1x3x4x6xf32>, tensor<1x3x1x1xf32>) -> tensor<1x3x4x6xf32> loc("n")
  %k = compass.constant() {compass.tops = ["k"], weights = dense<[[[2.0]], [[3.0]], [[4.0]]]> : tensor<3x1x1xf32>} : () -> tensor<3x1x1xf32> loc("k")
  %l = compass.constant() {compass.tops = ["l"], weights = dense<[[[5.0]], [[6.0]], [[7.0]]]> : tensor<3x1x1xf32>} : () -> tensor<3x1x1xf32> loc("l")
  %p = compass.eltwise(%n, %k) {compass.tops = ["p"], method = "MUL"} : (tensor<1x3x4x6xf32>, tensor<3x1x1xf32>) -> tensor<1x3x4x6xf32> loc("p")
  %q = compass.eltwise(%l, %p) {compass.tops = ["q"], method = "ADD"} : (tensor<3x1x1xf32>, tensor<1x3x4x6xf32>) -> tensor<1x3x4x6xf32> loc("q")
  %y = compass.transpose(%q) {compass.tops = ["y"], perm = array<i64: 0, 2, 3, 1>} : (tensor<1x3x4x6xf32>) -> tensor<1x4x6x3xf32> loc("y")
  return %y : tensor<1x4x6x3xf32>
}
