// A load is not moved ahead of the decision that leads to it.
// RUN: yarrow-opt %s --yarrow-plan --yarrow-verify-plan | FileCheck %s

// CHECK: "npu.pool"(%{{[^,]*}}, %[[B:[0-9a-z]+]])
// CHECK: npu.while
// CHECK-NEXT: "npu.copy"(%{{.*}}, %[[A:[0-9a-z]+]])
// CHECK-NEXT: "npu.pool"(%[[A]]
module attributes {npu.machine = "{\"name\": \"m\", \"base\": \"X2_1204\"}"} {
  func.func @npu_main() {
    %flag = npu.buffer {buffer_name = "flag", region = 3 : i64, size_bytes = 4 : i64}
    %x = npu.buffer {buffer_name = "x", region = 4 : i64, size_bytes = 64 : i64}
    %y = npu.buffer {buffer_name = "y", region = 5 : i64, size_bytes = 64 : i64}
    %a = npu.buffer {buffer_name = "a", region = 0 : i64, size_bytes = 64 : i64}
    %b = npu.buffer {buffer_name = "b", region = 0 : i64, size_bytes = 64 : i64}
    %c = npu.buffer {buffer_name = "c", region = 0 : i64, size_bytes = 64 : i64}
    "npu.copy"(%x, %a) <{dstStride0 = 1 : i64, elementBytes = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, size0 = 64 : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1 : i64, srcStride0 = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
    "npu.pool"(%a, %b) <{inChannels = 64 : i64, inHeight = 1 : i64, inPixelStride = 64 : i64, inRowStride = 64 : i64, inWidth = 1 : i64, kernelX = 1 : i64, kernelY = 1 : i64, operandSegmentSizes = array<i32: 1, 0, 1>, outChannels = 64 : i64, outHeight = 1 : i64, outPixelStride = 64 : i64, outRowStride = 64 : i64, outWidth = 1 : i64, strideX = 1 : i64, strideY = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
    "npu.copy"(%b, %y) <{dstStride0 = 1 : i64, elementBytes = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, queue = #npu.unit<"DMA store">, size0 = 64 : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1 : i64, srcStride0 = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
    npu.while %flag {size_bytes = 4 : i64} do {
      "npu.copy"(%x, %c) <{dstStride0 = 1 : i64, elementBytes = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, size0 = 64 : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1 : i64, srcStride0 = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
      "npu.pool"(%c, %b) <{inChannels = 64 : i64, inHeight = 1 : i64, inPixelStride = 64 : i64, inRowStride = 64 : i64, inWidth = 1 : i64, kernelX = 1 : i64, kernelY = 1 : i64, operandSegmentSizes = array<i32: 1, 0, 1>, outChannels = 64 : i64, outHeight = 1 : i64, outPixelStride = 64 : i64, outRowStride = 64 : i64, outWidth = 1 : i64, strideX = 1 : i64, strideY = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
      "npu.copy"(%b, %y) <{dstStride0 = 1 : i64, elementBytes = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, queue = #npu.unit<"DMA store">, size0 = 64 : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1 : i64, srcStride0 = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
    }
    return
  }
}
