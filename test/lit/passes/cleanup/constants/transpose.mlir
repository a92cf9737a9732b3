// A layer whose inputs are all constant is computed at once.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fold-constants))' | FileCheck %s

// CHECK-LABEL: @transpose
// CHECK: compass.constant{{.*}}tensor<3x2xf32>
// CHECK-NOT: compass.transpose
// CHECK: return
func.func @transpose() -> tensor<3x2xf32> {
  %c = compass.constant() {weights = dense_resource<c> : tensor<2x3xf32>} : () -> tensor<2x3xf32>
  %t = compass.transpose(%c) {perm = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %x = compass.input() : () -> tensor<3x2xf32>
  %y = compass.eltwise(%x, %t) : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

{-#
  dialect_resources: {
    builtin: {
      c: "0x040000000000803F000000400000404000008040000080400000A040"
    }
  }
#-}
