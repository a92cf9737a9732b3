// Groups that are rows: the engine adds them up, the TECs find a number and a gain of each, which the engine adds to and
// multiplies with all channels of a pixel; weights are a depthwise convolution.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!i8 = !quant.uniform<i8:f32, 5.000000e-02>

// A small tensor stays in SRAM between the two.
// CHECK-LABEL: func.func @npu_main
// CHECK: buffer_name = "y.normalised", region = 0 :
// CHECK: "npu.matmul"
// CHECK: npu.kernel{{.*}}yk_group_gains
// CHECK: "npu.conv"
// CHECK-SAME: outType = #npu.element_type<int16>
// CHECK-SAME: residualPerPixel = 1
// CHECK-SAME: residualPixelStride = 4
// CHECK-SAME: residualType = #npu.element_type<int32>
// CHECK: "npu.conv"
// CHECK-SAME: inType = #npu.element_type<int16>
// CHECK-SAME: residualType = #npu.element_type<uint16>
// CHECK-SAME: sumOp = #npu.sum_op<mul>
// CHECK-SAME: sumShift = 9
// CHECK: "npu.conv"
// CHECK-SAME: depthwise = 1
// CHECK-NOT: hasResidual
// CHECK-NOT: yk_layer_norm_int
func.func @main() -> tensor<1x8x4x2x!i8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x8x4x2x!i8> loc("x")
  %y = compass.layer_norm(%x) {compass.tops = ["y"], axis = array<i64: 3>, lut = dense<"0xE803E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703E703"> : tensor<193xi16>, weights = dense<[3, 4]> : tensor<2xi8>, biases = dense<[5, 6]> : tensor<2xi32>, scale_value = array<i64: 1>, shift_value = array<i64: 4>, norm_shift_value = 1 : i64, var_shift_value = 2 : i64} : (tensor<1x8x4x2x!i8>) -> tensor<1x8x4x2x!i8> loc("y")
  return %y : tensor<1x8x4x2x!i8>
}
