// A command that reaches beyond its buffer, into the stacks of the TECs, is a hazard.
// RUN: not yarrow-opt %s --yarrow-verify-schedule 2>&1 | FileCheck %s

// CHECK: error E0601: internal error: the schedule has a hazard
// CHECK: command 0 exceeds the SRAM below the stacks
module attributes {npu.machine = "{\"name\": \"m\", \"base\": \"X2_1204\", \"sramBytes\": 98304}"} {
  func.func @npu_main() {
    %x = npu.buffer {address = 0 : i64, buffer_name = "x", region = 3 : i64, size_bytes = 64 : i64}
    %y = npu.buffer {address = 0 : i64, buffer_name = "y", region = 4 : i64, size_bytes = 64 : i64}
    %a = npu.buffer {address = 32736 : i64, buffer_name = "a", region = 0 : i64, size_bytes = 64 : i64}
    "npu.copy"(%x, %a) <{dstStride0 = 1 : i64, elementBytes = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, size0 = 64 : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1 : i64, srcStride0 = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
    return
  }
}
