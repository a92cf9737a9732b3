// An image that does not fit comes in bands of rows, each with the rows of the input
// that it sees.
// RUN: yarrow-opt %s --yarrow-lower | FileCheck %s

!t = !quant.uniform<i8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK: "npu.copy"{{.*}} size0 = 3072
// CHECK-COUNT-9: "npu.conv"
// CHECK: "npu.copy"{{.*}} size0 = 8192
// CHECK: "npu.copy"{{.*}} size0 = 4096 {{.*}} src = 1024
// CHECK-COUNT-6: "npu.conv"
// CHECK: "npu.copy"{{.*}}<{dst = 8192{{.*}} size0 = 8192
// CHECK-NOT: npu.kernel
// CHECK: return
module attributes {npu.machine = "{\"name\": \"m\", \"base\": \"X2_1204\", \"sramBytes\": 98304}"} {
  func.func @main() -> tensor<1x32x64x32x!t> {
    %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x16x32x32x!t> loc("x")
    %y = compass.resize(%x) {compass.tops = ["y"], size = array<i64: 1, 32, 64, 32>, method = "BILINEAR", mode = "HALF_PIXEL"} : (tensor<1x16x32x32x!t>) -> tensor<1x32x64x32x!t> loc("y")
    return %y : tensor<1x32x64x32x!t>
  }
}
