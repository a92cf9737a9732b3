// What a loop reads from outside is read again in the next iteration: nothing
// in the loop may have its place, although it is not used any more in this one.
// RUN: yarrow-opt %s --yarrow-plan --yarrow-verify-plan | FileCheck %s

// CHECK: npu.buffer {address = 128 : i64, buffer_name = "kept"
// CHECK: npu.buffer {address = 0 : i64, buffer_name = "b"
// CHECK: npu.buffer {address = 64 : i64, buffer_name = "c"
module attributes {npu.machine = "{\"name\": \"m\", \"base\": \"X2_1204\"}"} {
  func.func @npu_main() {
    %flag = npu.buffer {buffer_name = "flag", region = 3 : i64, size_bytes = 4 : i64}
    %x = npu.buffer {buffer_name = "x", region = 4 : i64, size_bytes = 64 : i64}
    %y = npu.buffer {buffer_name = "y", region = 5 : i64, size_bytes = 64 : i64}
    %kept = npu.buffer {buffer_name = "kept", region = 0 : i64, size_bytes = 64 : i64}
    %b = npu.buffer {buffer_name = "b", region = 0 : i64, size_bytes = 64 : i64}
    %c = npu.buffer {buffer_name = "c", region = 0 : i64, size_bytes = 64 : i64}
    "npu.copy"(%x, %kept) <{dstStride0 = 1 : i64, elementBytes = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, size0 = 64 : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1 : i64, srcStride0 = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
    npu.while %flag {size_bytes = 4 : i64} do {
      "npu.pool"(%kept, %b) <{inChannels = 64 : i64, inHeight = 1 : i64, inPixelStride = 64 : i64, inRowStride = 64 : i64, inWidth = 1 : i64, kernelX = 1 : i64, kernelY = 1 : i64, operandSegmentSizes = array<i32: 1, 0, 1>, outChannels = 64 : i64, outHeight = 1 : i64, outPixelStride = 64 : i64, outRowStride = 64 : i64, outWidth = 1 : i64, strideX = 1 : i64, strideY = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
      "npu.pool"(%b, %c) <{inChannels = 64 : i64, inHeight = 1 : i64, inPixelStride = 64 : i64, inRowStride = 64 : i64, inWidth = 1 : i64, kernelX = 1 : i64, kernelY = 1 : i64, operandSegmentSizes = array<i32: 1, 0, 1>, outChannels = 64 : i64, outHeight = 1 : i64, outPixelStride = 64 : i64, outRowStride = 64 : i64, outWidth = 1 : i64, strideX = 1 : i64, strideY = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
      "npu.copy"(%c, %y) <{dstStride0 = 1 : i64, elementBytes = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, queue = #npu.unit<"DMA store">, size0 = 64 : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1 : i64, srcStride0 = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
    }
    return
  }
}
