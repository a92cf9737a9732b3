// Buffers whose lives do not overlap share memory; those that do, do not.
// RUN: yarrow-opt %s --yarrow-plan=target=X2_1204 --yarrow-verify-plan | FileCheck %s

// CHECK: address = 0 : i64, buffer_name = "a"
// CHECK: address = 64 : i64, buffer_name = "b"
// CHECK: address = 0 : i64, buffer_name = "c"
func.func @npu_main() {
  %x = npu.buffer {buffer_name = "x", region = 3 : i64, size_bytes = 64 : i64}
  %y = npu.buffer {buffer_name = "y", region = 4 : i64, size_bytes = 64 : i64}
  %a = npu.buffer {buffer_name = "a", region = 0 : i64, size_bytes = 64 : i64}
  %b = npu.buffer {buffer_name = "b", region = 0 : i64, size_bytes = 64 : i64}
  %c = npu.buffer {buffer_name = "c", region = 0 : i64, size_bytes = 64 : i64}
  "npu.copy"(%x, %a) <{dstStride0 = 1 : i64, elementBytes = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, queue = #npu.unit<"DMA store">, size0 = 64 : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1 : i64, srcStride0 = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
  "npu.copy"(%a, %b) <{dstStride0 = 1 : i64, elementBytes = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, queue = #npu.unit<"DMA store">, size0 = 64 : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1 : i64, srcStride0 = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
  "npu.copy"(%b, %c) <{dstStride0 = 1 : i64, elementBytes = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, queue = #npu.unit<"DMA store">, size0 = 64 : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1 : i64, srcStride0 = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
  "npu.copy"(%c, %y) <{dstStride0 = 1 : i64, elementBytes = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, queue = #npu.unit<"DMA store">, size0 = 64 : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1 : i64, srcStride0 = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
  return
}
