// An SRAM keeps what it holds from one block of its core to the next, and the SRAMs of two cores are
// different memories.
// RUN: yarrow-opt %s --yarrow-verify-plan | FileCheck %s

// CHECK-COUNT-2: npu.cores
module attributes {npu.machine = "{\"name\": \"m\", \"base\": \"X2_1204\", \"cores\": 2}"} {
  func.func @npu_main() {
    %x = npu.buffer {address = 0 : i64, buffer_name = "x", region = 3 : i64, size_bytes = 64 : i64}
    %y = npu.buffer {address = 0 : i64, buffer_name = "y", region = 4 : i64, size_bytes = 64 : i64}
    %z = npu.buffer {address = 0 : i64, buffer_name = "z", region = 5 : i64, size_bytes = 64 : i64}
    %a = npu.buffer {address = 0 : i64, buffer_name = "a", region = 0 : i64, size_bytes = 64 : i64}
    %b = npu.buffer {address = 0 : i64, buffer_name = "b", region = 0 : i64, size_bytes = 64 : i64}
    npu.cores {
      "npu.copy"(%x, %a) <{dstStride0 = 1 : i64, elementBytes = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, size0 = 64 : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1 : i64, srcStride0 = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
    }, {
      "npu.copy"(%x, %b) <{dstStride0 = 1 : i64, elementBytes = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, size0 = 64 : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1 : i64, srcStride0 = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
    }
    npu.cores {
      "npu.copy"(%a, %y) <{dstStride0 = 1 : i64, elementBytes = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, queue = #npu.unit<"DMA store">, size0 = 64 : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1 : i64, srcStride0 = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
    }, {
      "npu.copy"(%b, %z) <{dstStride0 = 1 : i64, elementBytes = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, queue = #npu.unit<"DMA store">, size0 = 64 : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1 : i64, srcStride0 = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
    }
    return
  }
}
