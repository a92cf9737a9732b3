// The second kernel reads what the TECs wrote in the first: without its wait a fast TEC
// would read what a slow one has not written.
// RUN: yarrow-opt %s --yarrow-lower --yarrow-plan --yarrow-schedule > %t.mlir
// RUN: sed 's/array<i64: 0, 3, 0, 4>/array<i64: 0, 3, 0, 0>/' %t.mlir | not yarrow-opt --yarrow-verify-schedule 2>&1 | FileCheck %s

!u8 = !quant.uniform<u8:f32, 5.000000e-02>

// CHECK: error E0601: internal error: the schedule has a hazard
// CHECK: can overtake command
module attributes {npu.machine = "{\"name\": \"m\", \"base\": \"X2_1204\"}"} {
  func.func @main() -> tensor<1x64x!u8> {
    %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x64x!u8> loc("x")
    %a = compass.eltwise(%x, %x) {compass.tops = ["a"], method = "MUL", scale_value = array<i64: 1>, shift_value = array<i64: 4>, with_activation = "CLIP", clip_min = 0 : i64, clip_max = 255 : i64} : (tensor<1x64x!u8>, tensor<1x64x!u8>) -> tensor<1x64x!u8> loc("a")
    %y = compass.eltwise(%a, %x) {compass.tops = ["y"], method = "MUL", scale_value = array<i64: 1>, shift_value = array<i64: 4>, with_activation = "CLIP", clip_min = 0 : i64, clip_max = 255 : i64} : (tensor<1x64x!u8>, tensor<1x64x!u8>) -> tensor<1x64x!u8> loc("y")
    return %y : tensor<1x64x!u8>
  }
}
