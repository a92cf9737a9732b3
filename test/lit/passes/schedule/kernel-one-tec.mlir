// A single TEC signals each kernel once.
// RUN: yarrow-opt %s --yarrow-lower --yarrow-plan --yarrow-schedule --yarrow-verify-schedule | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK: npu.kernel
// CHECK: npu.kernel{{.*}}waits = array<i64: {{[0-9]+, [0-9]+, [0-9]+}}, 1>
// CHECK: "npu.copy"{{.*}} queue = #npu.unit<"DMA store">{{.*}} waits = array<i64: 0, 0, 0, 2>
module attributes {npu.machine = "{\"name\": \"one\", \"base\": \"Z1_0701\"}"} {
  func.func @main() -> tensor<1x64x!u8> {
    %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x64x!u8> loc("x")
    %a = compass.eltwise(%x, %x) {compass.tops = ["a"], method = "MUL", scale_value = array<i64: 1>, shift_value = array<i64: 4>, with_activation = "CLIP", clip_min = 0 : i64, clip_max = 255 : i64} : (tensor<1x64x!u8>, tensor<1x64x!u8>) -> tensor<1x64x!u8> loc("a")
    %y = compass.eltwise(%a, %x) {compass.tops = ["y"], method = "MUL", scale_value = array<i64: 1>, shift_value = array<i64: 4>, with_activation = "CLIP", clip_min = 0 : i64, clip_max = 255 : i64} : (tensor<1x64x!u8>, tensor<1x64x!u8>) -> tensor<1x64x!u8> loc("y")
    return %y : tensor<1x64x!u8>
  }
}
