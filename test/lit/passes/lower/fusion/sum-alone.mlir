// A sum without a convolution is a command of the tensor engine, whose own product is the first
// operand. Without optimizations it is a layer of the TECs.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s
// RUN: yarrow-opt %s --yarrow-lower='target=X2_1204 optimize=false' | FileCheck %s --check-prefix=PLAIN

!u8 = !quant.uniform<u8:f32, 5.000000e-02>
!i16 = !quant.uniform<i16:f32, 1.000000e-03>

// 24 elements are channels of one pixel; of many, each 16 are a pixel.
// CHECK-LABEL: func.func @npu_main
// CHECK: buffer_name = "y.ones"{{.*}} region = 0 : i64, size_bytes = 128
// CHECK-NOT: npu.kernel
// CHECK: "npu.conv"
// CHECK-SAME: depthwise = 1
// CHECK-SAME: hasResidual = 1
// CHECK-SAME: inChannels = 24
// CHECK-SAME: mainScale = 3
// CHECK-SAME: mainType = #npu.element_type<uint8>
// CHECK-SAME: outChannels = 24
// CHECK-SAME: outType = #npu.element_type<int16>
// CHECK-SAME: outWidth = 1
// CHECK-SAME: residualScale = 5
// CHECK-NOT: npu.kernel
// CHECK: return
// PLAIN-LABEL: func.func @npu_main
// PLAIN-NOT: "npu.conv"
// PLAIN: npu.kernel{{.*}}yk_eltwise_int
func.func @main() -> tensor<4x6x!i16> {
  %a = compass.input() {compass.tops = ["a"]} : () -> tensor<4x6x!u8> loc("a")
  %b = compass.input() {compass.tops = ["b"]} : () -> tensor<4x6x!i16> loc("b")
  %y = compass.eltwise(%a, %b) {compass.tops = ["y"], scale_value = array<i64: 1, 3, 5>, shift_value = array<i64: 2>} : (tensor<4x6x!u8>, tensor<4x6x!i16>) -> tensor<4x6x!i16> loc("y")
  return %y : tensor<4x6x!i16>
}
