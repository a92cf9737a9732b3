// What is scattered and does not fit the SRAM goes through it in slices: loaded
// in the order of the source, put in order, stored in that of the destination.
// RUN: yarrow-opt %s --yarrow-lower | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.copy"(%0, %[[IN:.*]]) <{{.*}} size0 = 28 : i64, size1 = 256 : i64, size2 = 1
// CHECK-NEXT: "npu.copy"(%[[IN]], %[[OUT:.*]]) <{dstStride0 = 1 : i64, dstStride1 = 256
// CHECK-SAME: srcStride0 = 28 : i64, srcStride1 = 1
// CHECK-NEXT: "npu.copy"(%[[OUT]], %1) <{dstStride0 = 1{{.*}} size0 = 7168 : i64, size1 = 1
// CHECK-NEXT: "npu.copy"(%0, %{{.*}} src = 28 : i64
// CHECK: "npu.copy"(%0, %{{.*}} size0 = 4 : i64, size1 = 256{{.*}} src = 252 : i64
// CHECK-NEXT: "npu.copy"
// CHECK-NEXT: "npu.copy"({{.*}}, %1) <{dst = 64512
// CHECK-NEXT: return
module attributes {npu.machine = "{\"name\": \"m\", \"base\": \"X2_1204\", \"sramBytes\": 98304}"} {
  func.func @main() -> tensor<256x256x!u8> {
    %x = compass.input() {compass.tops = ["x"]} : () -> tensor<256x256x!u8> loc("x")
    %y = compass.transpose(%x) {compass.tops = ["y"], perm = array<i64: 1, 0>} : (tensor<256x256x!u8>) -> tensor<256x256x!u8> loc("y")
    return %y : tensor<256x256x!u8>
  }
}
