// A single row that does not fit the SRAM leaves the layer to the TECs.
// RUN: yarrow-opt %s --yarrow-lower | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK-NOT: "npu.pool"
// CHECK: npu.kernel{{.*}}yk_pool_int
// CHECK-NOT: "npu.pool"
// CHECK: return
module attributes {npu.machine = "{\"name\": \"m\", \"base\": \"X2_1204\", \"sramBytes\": 98304}"} {
  func.func @main() -> tensor<1x1x2048x8x!u8> {
    %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x2x4096x8x!u8> loc("x")
    %y = compass.pooling(%x) {compass.tops = ["y"], method = "MAX", kernel_x = 2 : i64, kernel_y = 2 : i64, stride_x = 2 : i64, stride_y = 2 : i64} : (tensor<1x2x4096x8x!u8>) -> tensor<1x1x2048x8x!u8> loc("y")
    return %y : tensor<1x1x2048x8x!u8>
  }
}
