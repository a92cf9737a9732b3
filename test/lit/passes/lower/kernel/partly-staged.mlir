// What still fits is staged, in the order of the buffers: here the input, then the output
// is written to DDR.
// RUN: yarrow-opt %s --yarrow-lower | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK-COUNT-1: buffer_name = "staged", region = 0 : i64, size_bytes = 16384
// CHECK-NOT: buffer_name = "staged"
// CHECK: "npu.copy"{{.*}} size0 = 16384 
// CHECK-NEXT: npu.kernel
// CHECK-NEXT: return
module attributes {npu.machine = "{\"name\": \"m\", \"base\": \"X2_1204\", \"sramBytes\": 98304}"} {
  func.func @main() -> tensor<1x16384x!u8> {
    %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x16384x!u8> loc("x")
    %y = compass.activation(%x) {compass.tops = ["y"], method = "RELU", scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<1x16384x!u8>) -> tensor<1x16384x!u8> loc("y")
    return %y : tensor<1x16384x!u8>
  }
}
