// Each of four TECs signals each kernel: whoever waits for two kernels waits for 8. A kernel
// waits until all TECs are through with the one before.
// RUN: yarrow-opt %s --yarrow-lower --yarrow-plan --yarrow-schedule --yarrow-verify-schedule | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK: npu.kernel
// CHECK: npu.kernel{{.*}}waits = array<i64: {{[0-9]+, [0-9]+, [0-9]+}}, 4>
// CHECK: "npu.copy"{{.*}} queue = #npu.unit<"DMA store">{{.*}} waits = array<i64: 0, 0, 0, 8>
module attributes {npu.machine = "{\"name\": \"m\", \"base\": \"X2_1204\"}"} {
  func.func @main() -> tensor<1x64x!u8> {
    %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x64x!u8> loc("x")
    %a = compass.eltwise(%x, %x) {compass.tops = ["a"], method = "MUL", scale_value = array<i64: 1>, shift_value = array<i64: 4>, with_activation = "CLIP", clip_min = 0 : i64, clip_max = 255 : i64} : (tensor<1x64x!u8>, tensor<1x64x!u8>) -> tensor<1x64x!u8> loc("a")
    %y = compass.eltwise(%a, %x) {compass.tops = ["y"], method = "MUL", scale_value = array<i64: 1>, shift_value = array<i64: 4>, with_activation = "CLIP", clip_min = 0 : i64, clip_max = 255 : i64} : (tensor<1x64x!u8>, tensor<1x64x!u8>) -> tensor<1x64x!u8> loc("y")
    return %y : tensor<1x64x!u8>
  }
}
