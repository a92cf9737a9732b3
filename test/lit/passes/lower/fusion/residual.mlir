// The sum of a convolution and another tensor is part of the convolution's command, and
// one row of the report. Without optimizations it is a layer.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s
// RUN: yarrow-opt %s --yarrow-lower='target=X2_1204 optimize=false' | FileCheck %s --check-prefix=PLAIN

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK: npu.layers = [{{{.*}}members = ["c", "y"], name = "c + y", {{.*}}type = "Convolution+Eltwise"{{[^}]*}}}]
// CHECK-LABEL: func.func @npu_main
// CHECK-NOT: npu.kernel
// CHECK: "npu.conv"
// CHECK-SAME: hasResidual = 1
// CHECK-SAME: mainScale = 1
// CHECK-SAME: residualScale = 1
// CHECK-NOT: npu.kernel
// CHECK: return
// PLAIN: npu.layers = [{{{.*}} name = "c", {{.*}}}, {{{.*}} name = "y"
// PLAIN-LABEL: func.func @npu_main
// PLAIN: "npu.conv"
// PLAIN-NOT: hasResidual
// PLAIN: npu.kernel{{.*}}yk_eltwise_int
func.func @main() -> tensor<1x4x4x2x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x4x2x!u8> loc("x")
  %c = compass.convolution(%x) {compass.tops = ["c"], num_output = 2 : i64, kernel_x = 1 : i64, kernel_y = 1 : i64, weights = dense<"0x01060402"> : tensor<2x1x1x2xi8>, biases = dense<[1, 2]> : tensor<2xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x4x4x2x!u8>) -> tensor<1x4x4x2x!u8> loc("c")
  %y = compass.eltwise(%c, %x) {compass.tops = ["y"], scale_value = array<i64: 1, 1, 1>, shift_value = array<i64: 1>} : (tensor<1x4x4x2x!u8>, tensor<1x4x4x2x!u8>) -> tensor<1x4x4x2x!u8> loc("y")
  return %y : tensor<1x4x4x2x!u8>
}
