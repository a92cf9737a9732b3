// Of two branches one is executed: what they use shares its place.
// RUN: yarrow-opt %s --yarrow-plan --yarrow-verify-plan | FileCheck %s

// CHECK: npu.buffer {address = 0 : i64, buffer_name = "a"
// CHECK: npu.buffer {address = 0 : i64, buffer_name = "b"
module attributes {npu.machine = "{\"name\": \"m\", \"base\": \"X2_1204\"}"} {
  func.func @npu_main() {
    %flag = npu.buffer {buffer_name = "flag", region = 3 : i64, size_bytes = 4 : i64}
    %x = npu.buffer {buffer_name = "x", region = 4 : i64, size_bytes = 64 : i64}
    %y = npu.buffer {buffer_name = "y", region = 5 : i64, size_bytes = 64 : i64}
    %a = npu.buffer {buffer_name = "a", region = 0 : i64, size_bytes = 64 : i64}
    %b = npu.buffer {buffer_name = "b", region = 0 : i64, size_bytes = 64 : i64}
    npu.if %flag {size_bytes = 4 : i64} then {
      "npu.copy"(%x, %a) <{dstStride0 = 1 : i64, elementBytes = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, size0 = 64 : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1 : i64, srcStride0 = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
      "npu.copy"(%a, %y) <{dstStride0 = 1 : i64, elementBytes = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, queue = #npu.unit<"DMA store">, size0 = 64 : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1 : i64, srcStride0 = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
    } otherwise {
      "npu.copy"(%x, %b) <{dstStride0 = 1 : i64, elementBytes = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, size0 = 64 : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1 : i64, srcStride0 = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
      "npu.copy"(%b, %y) <{dstStride0 = 1 : i64, elementBytes = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, queue = #npu.unit<"DMA store">, size0 = 64 : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1 : i64, srcStride0 = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
    }
    return
  }
}
