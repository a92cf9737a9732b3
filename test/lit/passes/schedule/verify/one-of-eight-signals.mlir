// Two kernels give eight signals: a wait one too low lets a store go before the last TEC is through.
// RUN: not yarrow-opt %s --yarrow-verify-schedule 2>&1 | FileCheck %s
// RUN: sed 's/0, 0, 0, 7/0, 0, 0, 8/' %s | yarrow-opt --yarrow-verify-schedule -o /dev/null

// CHECK: error E0601: internal error: the schedule has a hazard
// CHECK: command 3 waits for something that comes later
module attributes {npu.machine = "{\"name\": \"m\", \"base\": \"X2_1204\"}"} {
  func.func @npu_main() {
    %x = npu.buffer {address = 0 : i64, buffer_name = "x", region = 3 : i64, size_bytes = 64 : i64}
    %y = npu.buffer {address = 0 : i64, buffer_name = "y", region = 4 : i64, size_bytes = 64 : i64}
    %a = npu.buffer {address = 0 : i64, buffer_name = "a", region = 0 : i64, size_bytes = 64 : i64}
    %b = npu.buffer {address = 64 : i64, buffer_name = "b", region = 0 : i64, size_bytes = 64 : i64}
    %c = npu.buffer {address = 128 : i64, buffer_name = "c", region = 0 : i64, size_bytes = 64 : i64}
    %d = npu.buffer {address = 192 : i64, buffer_name = "d", region = 0 : i64, size_bytes = 64 : i64}
    "npu.copy"(%x, %a) <{dstStride0 = 1 : i64, elementBytes = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, size0 = 64 : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1 : i64, srcStride0 = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
    npu.kernel "yk_eltwise_int"(%a, %a, %b) {npu.layer = 0 : i64, offsets = array<i64: 0, 0, 0>, params = array<i8>, roles = array<i64: 1, 1, 0, 2>, sizes = array<i64: 64, 64, 64>, waits = array<i64: 0, 1, 0, 0>}
    npu.kernel "yk_eltwise_int"(%b, %b, %c) {npu.layer = 0 : i64, offsets = array<i64: 0, 0, 0>, params = array<i8>, roles = array<i64: 1, 1, 0, 2>, sizes = array<i64: 64, 64, 64>, waits = array<i64: 0, 0, 0, 4>}
    "npu.copy"(%c, %y) <{dstStride0 = 1 : i64, elementBytes = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, queue = #npu.unit<"DMA store">, size0 = 64 : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1 : i64, srcStride0 = 1 : i64, waits = array<i64: 0, 0, 0, 7>}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
    return
  }
}
