// A BatchNorm disappears in the weights and biases of the layer before.
// RUN: yarrow-opt %s --pass-pipeline='builtin.module(func.func(fold-into-weights))' | FileCheck %s

// CHECK-LABEL: @batch_norm
// CHECK: compass.fully_connected
// CHECK-NOT: compass.batch_norm
// CHECK: return
func.func @batch_norm() -> tensor<1x2xf32> {
  %x = compass.input() : () -> tensor<1x2xf32>
  %f = compass.fully_connected(%x) {num_output = 2 : i64, weights = dense_resource<w> : tensor<2x2xf32>, biases = dense_resource<b> : tensor<2xf32>} : (tensor<1x2xf32>) -> tensor<1x2xf32>
  %n = compass.batch_norm(%f) {axis = 1 : i64, weights = dense_resource<g> : tensor<2xf32>, biases = dense_resource<b> : tensor<2xf32>} : (tensor<1x2xf32>) -> tensor<1x2xf32>
  return %n : tensor<1x2xf32>
}

{-#
  dialect_resources: {
    builtin: {
      w: "0x040000000000803F000000400000404000008040",
      b: "0x040000000000803F00000040",
      g: "0x040000000000004000000040"
    }
  }
#-}
