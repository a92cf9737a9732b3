// A wait for another queue than the writer's orders nothing.
// RUN: not yarrow-opt %s --yarrow-verify-schedule 2>&1 | FileCheck %s

// CHECK: error E0601: internal error: the schedule has a hazard
// CHECK: command 2 can overtake command 1
module attributes {npu.machine = "{\"name\": \"m\", \"base\": \"X2_1204\"}"} {
  func.func @npu_main() {
    %x = npu.buffer {address = 0 : i64, buffer_name = "x", region = 3 : i64, size_bytes = 64 : i64}
    %y = npu.buffer {address = 0 : i64, buffer_name = "y", region = 4 : i64, size_bytes = 64 : i64}
    %a = npu.buffer {address = 0 : i64, buffer_name = "a", region = 0 : i64, size_bytes = 64 : i64}
    %b = npu.buffer {address = 64 : i64, buffer_name = "b", region = 0 : i64, size_bytes = 64 : i64}
    "npu.copy"(%x, %a) <{dstStride0 = 1 : i64, elementBytes = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, size0 = 64 : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1 : i64, srcStride0 = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
    "npu.pool"(%a, %b) <{inChannels = 64 : i64, inHeight = 1 : i64, inPixelStride = 64 : i64, inRowStride = 64 : i64, inWidth = 1 : i64, kernelX = 1 : i64, kernelY = 1 : i64, operandSegmentSizes = array<i32: 1, 0, 1>, outChannels = 64 : i64, outHeight = 1 : i64, outPixelStride = 64 : i64, outRowStride = 64 : i64, outWidth = 1 : i64, strideX = 1 : i64, strideY = 1 : i64, waits = array<i64: 0, 1, 0, 0>}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
    "npu.copy"(%b, %y) <{dstStride0 = 1 : i64, elementBytes = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, queue = #npu.unit<"DMA store">, size0 = 64 : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1 : i64, srcStride0 = 1 : i64, waits = array<i64: 0, 1, 0, 0>}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
    return
  }
}
