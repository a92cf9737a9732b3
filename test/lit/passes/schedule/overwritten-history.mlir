// Who comes after a write waits for that write, not for what it has covered.
// RUN: yarrow-opt %s --yarrow-schedule --yarrow-verify-schedule | FileCheck %s

// CHECK: "npu.copy"{{.*}} queue = #npu.unit<"DMA store">{{.*}} waits = array<i64: 0, 1, 0, 0>
// CHECK: "npu.pool"{{.*}} waits = array<i64: 0, 0, 2, 0>
module attributes {npu.machine = "{\"name\": \"m\", \"base\": \"X2_1204\"}"} {
  func.func @npu_main() {
    %x = npu.buffer {address = 0 : i64, buffer_name = "x", region = 3 : i64, size_bytes = 64 : i64}
    %y = npu.buffer {address = 0 : i64, buffer_name = "y", region = 4 : i64, size_bytes = 64 : i64}
    %a = npu.buffer {address = 0 : i64, buffer_name = "a", region = 0 : i64, size_bytes = 64 : i64}
    %b = npu.buffer {address = 64 : i64, buffer_name = "b", region = 0 : i64, size_bytes = 64 : i64}
    %c = npu.buffer {address = 128 : i64, buffer_name = "c", region = 0 : i64, size_bytes = 64 : i64}
    %d = npu.buffer {address = 192 : i64, buffer_name = "d", region = 0 : i64, size_bytes = 64 : i64}
    "npu.copy"(%c, %y) <{dstStride0 = 1 : i64, elementBytes = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, queue = #npu.unit<"DMA store">, size0 = 64 : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1 : i64, srcStride0 = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
    "npu.copy"(%x, %a) <{dstStride0 = 1 : i64, elementBytes = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, size0 = 64 : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1 : i64, srcStride0 = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
    "npu.copy"(%b, %a) <{dstStride0 = 1 : i64, elementBytes = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, queue = #npu.unit<"DMA store">, size0 = 64 : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1 : i64, srcStride0 = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
    "npu.pool"(%a, %d) <{inChannels = 64 : i64, inHeight = 1 : i64, inPixelStride = 64 : i64, inRowStride = 64 : i64, inWidth = 1 : i64, kernelX = 1 : i64, kernelY = 1 : i64, operandSegmentSizes = array<i32: 1, 0, 1>, outChannels = 64 : i64, outHeight = 1 : i64, outPixelStride = 64 : i64, outRowStride = 64 : i64, outWidth = 1 : i64, strideX = 1 : i64, strideY = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
    return
  }
}
