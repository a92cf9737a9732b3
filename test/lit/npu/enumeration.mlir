// An element type is one that the tensor engine has.
// RUN: not yarrow-opt %s 2>&1 | FileCheck %s

// CHECK: error: found 'float32'; expected int8, uint8, int16, uint16, int32
func.func @npu_main() {
  %x = npu.buffer {address = 0 : i64, buffer_name = "x", region = 3 : i64, size_bytes = 64 : i64}
  %y = npu.buffer {address = 0 : i64, buffer_name = "y", region = 4 : i64, size_bytes = 64 : i64}
  %a = npu.buffer {address = 0 : i64, buffer_name = "a", region = 0 : i64, size_bytes = 64 : i64}
  %b = npu.buffer {address = 64 : i64, buffer_name = "b", region = 0 : i64, size_bytes = 64 : i64}
  "npu.pool"(%a, %b) <{inChannels = 64 : i64, inHeight = 1 : i64, inPixelStride = 64 : i64, inRowStride = 64 : i64, inWidth = 1 : i64, kernelX = 1 : i64, kernelY = 1 : i64, inType = #npu.element_type<float32>, operandSegmentSizes = array<i32: 1, 0, 1>, outChannels = 64 : i64, outHeight = 1 : i64, outPixelStride = 64 : i64, outRowStride = 64 : i64, outWidth = 1 : i64, strideX = 1 : i64, strideY = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
  return
}
