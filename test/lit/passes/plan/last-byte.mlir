// SRAM for data ends where the stacks of the TECs begin: 32,768 bytes fit.
// RUN: yarrow-opt %s --yarrow-plan --yarrow-verify-plan | FileCheck %s

// CHECK: address = 0 : i64, buffer_name = "a"
// CHECK: "npu.copy"
module attributes {npu.machine = "{\"name\": \"m\", \"base\": \"X2_1204\", \"sramBytes\": 98304}"} {
  func.func @npu_main() {
    %x = npu.buffer {buffer_name = "x", region = 3 : i64, size_bytes = 32768 : i64}
    %y = npu.buffer {buffer_name = "y", region = 4 : i64, size_bytes = 32768 : i64}
    %a = npu.buffer {buffer_name = "a", region = 0 : i64, size_bytes = 32768 : i64}
    "npu.copy"(%x, %a) <{dstStride0 = 1 : i64, elementBytes = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, queue = #npu.unit<"DMA store">, size0 = 32768 : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1 : i64, srcStride0 = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
    "npu.copy"(%a, %y) <{dstStride0 = 1 : i64, elementBytes = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, queue = #npu.unit<"DMA store">, size0 = 32768 : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1 : i64, srcStride0 = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
    return
  }
}
