// The verifiers of plan and schedule name the command and the buffers.
// RUN: split-file %s %t
// RUN: not yarrow-opt %t/overlap.mlir --yarrow-verify-plan 2>&1 | FileCheck %s --check-prefix=OVERLAP
// RUN: not yarrow-opt %t/hazard.mlir --yarrow-verify-schedule 2>&1 | FileCheck %s --check-prefix=HAZARD
// RUN: not yarrow-opt %t/machineless.mlir --yarrow-schedule 2>&1 | FileCheck %s --check-prefix=MACHINE

//--- overlap.mlir
// OVERLAP: error E0601: internal error: the memory plan is wrong
// OVERLAP: at command 0 buffer 'b' at 32, 64 bytes overlaps 'a' at 0, 64 bytes
module attributes {npu.machine = "{\"name\": \"m\", \"base\": \"X2_1204\"}"} {
  func.func @npu_main() {
    %a = npu.buffer {address = 0 : i64, buffer_name = "a", region = 0 : i64, size_bytes = 64 : i64}
    %b = npu.buffer {address = 32 : i64, buffer_name = "b", region = 0 : i64, size_bytes = 64 : i64}
    "npu.copy"(%a, %b) <{dstStride0 = 1 : i64, elementBytes = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, queue = 2 : i64, size0 = 64 : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1 : i64, srcStride0 = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
    return
  }
}

//--- hazard.mlir
// The second copy reads what the first one, of another queue, writes.
// HAZARD: error E0601: internal error: the schedule has a hazard
// HAZARD: command 1 may overtake command 0
module attributes {npu.machine = "{\"name\": \"m\", \"base\": \"X2_1204\"}", npu.final_waits = array<i64: 0, 1, 1, 0>} {
  func.func @npu_main() {
    %x = npu.buffer {address = 0 : i64, buffer_name = "x", region = 3 : i64, size_bytes = 64 : i64}
    %y = npu.buffer {address = 0 : i64, buffer_name = "y", region = 4 : i64, size_bytes = 64 : i64}
    %a = npu.buffer {address = 0 : i64, buffer_name = "a", region = 0 : i64, size_bytes = 64 : i64}
    "npu.copy"(%x, %a) <{dstStride0 = 1 : i64, elementBytes = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, size0 = 64 : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1 : i64, srcStride0 = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
    "npu.copy"(%a, %y) <{dstStride0 = 1 : i64, elementBytes = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, queue = 2 : i64, size0 = 64 : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1 : i64, srcStride0 = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
    return
  }
}

//--- machineless.mlir
// MACHINE: the module does not say for which machine it is
// MACHINE: hint: --yarrow-lower sets it
func.func @npu_main() {
  return
}
