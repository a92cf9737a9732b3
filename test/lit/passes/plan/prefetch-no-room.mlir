// One tile of 16,000 bytes in and out fills 32 KiB: the second load goes no further up than the
// command that reads the first tile, whose memory it takes.
// RUN: yarrow-opt %s --yarrow-plan --yarrow-verify-plan | FileCheck %s

// CHECK: "npu.copy"
// CHECK-NEXT: "npu.pool"
// CHECK-NEXT: "npu.copy"{{.*}} src = 16000
// CHECK-NEXT: "npu.copy"{{.*}} queue = #npu.unit<"DMA store">
// CHECK-NEXT: "npu.pool"
module attributes {npu.machine = "{\"name\": \"m\", \"base\": \"X2_1204\", \"sramBytes\": 98304}"} {
  func.func @npu_main() {
    %x = npu.buffer {buffer_name = "x", region = 3 : i64, size_bytes = 32000 : i64}
    %y = npu.buffer {buffer_name = "y", region = 4 : i64, size_bytes = 32000 : i64}
    %a = npu.buffer {buffer_name = "a", region = 0 : i64, size_bytes = 16000 : i64}
    %oa = npu.buffer {buffer_name = "oa", region = 0 : i64, size_bytes = 16000 : i64}
    %b = npu.buffer {buffer_name = "b", region = 0 : i64, size_bytes = 16000 : i64}
    %ob = npu.buffer {buffer_name = "ob", region = 0 : i64, size_bytes = 16000 : i64}
    "npu.copy"(%x, %a) <{dstStride0 = 1 : i64, elementBytes = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, size0 = 16000 : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1 : i64, srcStride0 = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
    "npu.pool"(%a, %oa) <{inChannels = 16000 : i64, inHeight = 1 : i64, inPixelStride = 16000 : i64, inRowStride = 16000 : i64, inWidth = 1 : i64, kernelX = 1 : i64, kernelY = 1 : i64, operandSegmentSizes = array<i32: 1, 0, 1>, outChannels = 16000 : i64, outHeight = 1 : i64, outPixelStride = 16000 : i64, outRowStride = 16000 : i64, outWidth = 1 : i64, strideX = 1 : i64, strideY = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
    "npu.copy"(%oa, %y) <{dstStride0 = 1 : i64, elementBytes = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, queue = #npu.unit<"DMA store">, size0 = 16000 : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1 : i64, srcStride0 = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
    "npu.copy"(%x, %b) <{dstStride0 = 1 : i64, elementBytes = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, size0 = 16000 : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1 : i64, src = 16000 : i64, srcStride0 = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
    "npu.pool"(%b, %ob) <{inChannels = 16000 : i64, inHeight = 1 : i64, inPixelStride = 16000 : i64, inRowStride = 16000 : i64, inWidth = 1 : i64, kernelX = 1 : i64, kernelY = 1 : i64, operandSegmentSizes = array<i32: 1, 0, 1>, outChannels = 16000 : i64, outHeight = 1 : i64, outPixelStride = 16000 : i64, outRowStride = 16000 : i64, outWidth = 1 : i64, strideX = 1 : i64, strideY = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
    "npu.copy"(%ob, %y) <{dst = 16000 : i64, dstStride0 = 1 : i64, elementBytes = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, queue = #npu.unit<"DMA store">, size0 = 16000 : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1 : i64, srcStride0 = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
    return
  }
}
