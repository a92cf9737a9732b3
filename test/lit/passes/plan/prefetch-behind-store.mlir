// A load of what an earlier command writes to DDR does not pass that command.
// RUN: yarrow-opt %s --yarrow-plan --yarrow-verify-plan | FileCheck %s

// CHECK: "npu.copy"{{.*}} size0 = 64
// CHECK-NEXT: "npu.pool"
// CHECK-NEXT: "npu.copy"{{.*}} queue = #npu.unit<"DMA store">
// CHECK-NEXT: "npu.copy"
// CHECK-NEXT: "npu.pool"
module attributes {npu.machine = "{\"name\": \"m\", \"base\": \"X2_1204\"}"} {
  func.func @npu_main() {
    %x = npu.buffer {buffer_name = "x", region = 3 : i64, size_bytes = 64 : i64}
    %y = npu.buffer {buffer_name = "y", region = 4 : i64, size_bytes = 64 : i64}
    %w = npu.buffer {buffer_name = "w", region = 2 : i64, size_bytes = 64 : i64}
    %a = npu.buffer {buffer_name = "a", region = 0 : i64, size_bytes = 64 : i64}
    %oa = npu.buffer {buffer_name = "oa", region = 0 : i64, size_bytes = 64 : i64}
    %b = npu.buffer {buffer_name = "b", region = 0 : i64, size_bytes = 64 : i64}
    %ob = npu.buffer {buffer_name = "ob", region = 0 : i64, size_bytes = 64 : i64}
    "npu.copy"(%x, %a) <{dstStride0 = 1 : i64, elementBytes = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, size0 = 64 : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1 : i64, srcStride0 = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
    "npu.pool"(%a, %oa) <{inChannels = 64 : i64, inHeight = 1 : i64, inPixelStride = 64 : i64, inRowStride = 64 : i64, inWidth = 1 : i64, kernelX = 1 : i64, kernelY = 1 : i64, operandSegmentSizes = array<i32: 1, 0, 1>, outChannels = 64 : i64, outHeight = 1 : i64, outPixelStride = 64 : i64, outRowStride = 64 : i64, outWidth = 1 : i64, strideX = 1 : i64, strideY = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
    "npu.copy"(%oa, %w) <{dstStride0 = 1 : i64, elementBytes = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, queue = #npu.unit<"DMA store">, size0 = 64 : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1 : i64, srcStride0 = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
    "npu.copy"(%w, %b) <{dstStride0 = 1 : i64, elementBytes = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, size0 = 64 : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1 : i64, srcStride0 = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
    "npu.pool"(%b, %ob) <{inChannels = 64 : i64, inHeight = 1 : i64, inPixelStride = 64 : i64, inRowStride = 64 : i64, inWidth = 1 : i64, kernelX = 1 : i64, kernelY = 1 : i64, operandSegmentSizes = array<i32: 1, 0, 1>, outChannels = 64 : i64, outHeight = 1 : i64, outPixelStride = 64 : i64, outRowStride = 64 : i64, outWidth = 1 : i64, strideX = 1 : i64, strideY = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
    "npu.copy"(%ob, %y) <{dstStride0 = 1 : i64, elementBytes = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, queue = #npu.unit<"DMA store">, size0 = 64 : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1 : i64, srcStride0 = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
    return
  }
}
