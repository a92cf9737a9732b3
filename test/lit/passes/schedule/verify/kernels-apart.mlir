// Two kernels that touch nothing in common: without a wait two TECs signal both of them before the
// other two are through with the first, and four signals say nothing.
// RUN: not yarrow-opt %s --yarrow-verify-schedule 2>&1 | FileCheck %s
// RUN: sed '/%d, %e/s/sizes/waits = array<i64: 0, 0, 0, 4>, sizes/' %s | yarrow-opt --yarrow-verify-schedule -o /dev/null
// RUN: sed 's/X2_1204/Z1_0701/; s/0, 0, 0, 4/0, 0, 0, 1/' %s | yarrow-opt --yarrow-verify-schedule -o /dev/null

// CHECK: error E0601: internal error: the schedule has a hazard
// CHECK: command 1 can signal for a TEC that is still at the previous kernel
module attributes {npu.machine = "{\"name\": \"m\", \"base\": \"X2_1204\"}"} {
  func.func @npu_main() {
    %y = npu.buffer {address = 0 : i64, buffer_name = "y", region = 4 : i64, size_bytes = 64 : i64}
    %a = npu.buffer {address = 0 : i64, buffer_name = "a", region = 0 : i64, size_bytes = 64 : i64}
    %b = npu.buffer {address = 64 : i64, buffer_name = "b", region = 0 : i64, size_bytes = 64 : i64}
    %c = npu.buffer {address = 128 : i64, buffer_name = "c", region = 0 : i64, size_bytes = 64 : i64}
    %d = npu.buffer {address = 192 : i64, buffer_name = "d", region = 0 : i64, size_bytes = 64 : i64}
    %e = npu.buffer {address = 256 : i64, buffer_name = "e", region = 0 : i64, size_bytes = 64 : i64}
    npu.kernel "yk_eltwise_int"(%a, %b, %c) {npu.layer = 0 : i64, offsets = array<i64: 0, 0, 0>, params = array<i8>, roles = array<i64: 1, 1, 0, 2>, sizes = array<i64: 64, 64, 64>}
    npu.kernel "yk_eltwise_int"(%a, %d, %e) {npu.layer = 0 : i64, offsets = array<i64: 0, 0, 0>, params = array<i8>, roles = array<i64: 1, 1, 0, 2>, sizes = array<i64: 64, 64, 64>}
    "npu.copy"(%c, %y) <{dstStride0 = 1 : i64, elementBytes = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, queue = #npu.unit<"DMA store">, size0 = 64 : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1 : i64, srcStride0 = 1 : i64, waits = array<i64: 0, 0, 0, 4>}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
    return
  }
}
