// A tensor that does not fit the SRAM is read where it is.
// RUN: yarrow-opt %s --yarrow-lower | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK-NOT: region = 0
// CHECK: npu.kernel
// CHECK-NEXT: return
module attributes {npu.machine = "{\"name\": \"m\", \"base\": \"X2_1204\", \"sramBytes\": 98304}"} {
  func.func @main() -> tensor<1x32768x!u8> {
    %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x32768x!u8> loc("x")
    %y = compass.activation(%x) {compass.tops = ["y"], method = "RELU", scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x32768x!u8>) -> tensor<1x32768x!u8> loc("y")
    return %y : tensor<1x32768x!u8>
  }
}
