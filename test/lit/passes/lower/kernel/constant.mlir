// A kernel's constants are loaded as well.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

// CHECK-LABEL: func.func @npu_main
// CHECK: buffer_name = "y.constant", data = {{.*}} region = 1 : i64, size_bytes = 8
// CHECK: buffer_name = "y.constant", region = 0 : i64, size_bytes = 8
// CHECK: "npu.copy"{{.*}} size0 = 8 
// CHECK: npu.kernel{{.*}}yk_batch_norm_float
func.func @main() -> tensor<1x2xf32> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x2xf32> loc("x")
  %y = compass.batch_norm(%x) {compass.tops = ["y"], axis = 1 : i64, weights = dense<[2.0, 3.0]> : tensor<2xf32>, biases = dense<[1.0, 5.0]> : tensor<2xf32>} : (tensor<1x2xf32>) -> tensor<1x2xf32> loc("y")
  return %y : tensor<1x2xf32>
}
