// What does not fit the SRAM is copied from DDR to DDR, however short its runs are.
// RUN: yarrow-opt %s --yarrow-lower | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK-NOT: region = 0
// CHECK: "npu.copy"{{.*}} size0 = 256 : i64, size1 = 256
// CHECK-NEXT: return
module attributes {npu.machine = "{\"name\": \"m\", \"base\": \"X2_1204\", \"sramBytes\": 98304}"} {
  func.func @main() -> tensor<256x256x!u8> {
    %x = compass.input() {compass.tops = ["x"]} : () -> tensor<256x256x!u8> loc("x")
    %y = compass.transpose(%x) {compass.tops = ["y"], perm = array<i64: 1, 0>} : (tensor<256x256x!u8>) -> tensor<256x256x!u8> loc("y")
    return %y : tensor<256x256x!u8>
  }
}
