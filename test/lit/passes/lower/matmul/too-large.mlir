// There are no tiles of products: what does not fit the SRAM is computed by the TECs.
// RUN: yarrow-opt %s --yarrow-lower | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK-NOT: "npu.matmul"
// CHECK: npu.kernel{{.*}}yk_matmul_int
// CHECK-NOT: "npu.matmul"
// CHECK: return
module attributes {npu.machine = "{\"name\": \"m\", \"base\": \"X2_1204\", \"sramBytes\": 98304}"} {
  func.func @main() -> tensor<128x128x!u8> {
    %x = compass.input() {compass.tops = ["x"]} : () -> tensor<128x128x!u8> loc("x")
    %z = compass.input() {compass.tops = ["z"], input_index = 1 : i64} : () -> tensor<128x128x!u8> loc("z")
    %y = compass.matmul(%x, %z) {compass.tops = ["y"], scale_value = array<i64: 1>, shift_value = array<i64: 4>} : (tensor<128x128x!u8>, tensor<128x128x!u8>) -> tensor<128x128x!u8> loc("y")
    return %y : tensor<128x128x!u8>
  }
}
