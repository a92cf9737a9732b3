// Behind a reshape the bytes belong to another tensor as well: they are not overwritten.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK-DAG: buffer_name = "a", region = 0
// CHECK-DAG: buffer_name = "b", region = 0
// CHECK: "npu.conv"
func.func @main() -> tensor<4x4x!u8> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x4x!u8> loc("x")
  %a = compass.eltwise(%x, %x) {compass.tops = ["a"], scale_value = array<i64: 1, 1, 1>, shift_value = array<i64: 1>} : (tensor<1x4x!u8>, tensor<1x4x!u8>) -> tensor<1x4x!u8> loc("a")
  %r = compass.reshape(%a) {compass.tops = ["r"], shape = array<i64: 4, 1>} : (tensor<1x4x!u8>) -> tensor<4x1x!u8> loc("r")
  %b = compass.activation(%r) {compass.tops = ["b"], method = "SIGMOID", lut = dense<"0x070A0D101316191C1F2225282B2E3134373A3D404346494C4F5255585B5E6164676A6D707376797C7F8285888B8E9194979A9DA0A3A6A9ACAFB2B5B8BBBEC1C4C7CACDD0D3D6D9DCDFE2E5E8EBEEF1F4F7FAFD000306090C0F1215181B1E2124272A2D303336393C3F4245484B4E5154575A5D606366696C6F7275787B7E8184878A8D909396999C9FA2A5A8ABAEB1B4B7BABDC0C3C6C9CCCFD2D5D8DBDEE1E4E7EAEDF0F3F6F9FCFF0205080B0E1114171A1D202326292C2F3235383B3E4144474A4D505356595C5F6265686B6E7174777A7D808386898C8F9295989B9EA1A4A7AAADB0B3B6B9BCBFC2C5C8CBCED1D4D7DADDE0E3E6E9ECEFF2F5F8FBFE0104"> : tensor<256xui8>} : (tensor<4x1x!u8>) -> tensor<4x1x!u8> loc("b")
  %y = compass.eltwise(%b, %x) {compass.tops = ["y"], scale_value = array<i64: 1, 1, 1>, shift_value = array<i64: 1>} : (tensor<4x1x!u8>, tensor<1x4x!u8>) -> tensor<4x4x!u8> loc("y")
  return %y : tensor<4x4x!u8>
}
