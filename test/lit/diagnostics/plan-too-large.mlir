// A buffer that does not fit the machine's SRAM has no place in a plan.
// RUN: not yarrow-opt %s --yarrow-plan=target=Z1_0701 2>&1 | FileCheck %s
// CHECK: error E0601: the buffers do not fit the SRAM of Z1_0701
func.func @npu_main() {
  %x = npu.buffer {buffer_name = "x", region = 3 : i64, size_bytes = 1048576 : i64}
  %s = npu.buffer {buffer_name = "x.tile", region = 0 : i64, size_bytes = 1048576 : i64}
  "npu.copy"(%x, %s) <{dstStride0 = 1 : i64, elementBytes = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, size0 = 1048576 : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1 : i64, srcStride0 = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
  return
}
