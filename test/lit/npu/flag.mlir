// A flag is 0 or 1.
// RUN: not yarrow-opt %s 2>&1 | FileCheck %s

// CHECK: 'npu.copy' op attribute 'fill' failed to satisfy constraint: {{.*}}maximum value is 1
func.func @npu_main() {
  %x = npu.buffer {address = 0 : i64, buffer_name = "x", region = 3 : i64, size_bytes = 64 : i64}
  %y = npu.buffer {address = 0 : i64, buffer_name = "y", region = 4 : i64, size_bytes = 64 : i64}
  %a = npu.buffer {address = 0 : i64, buffer_name = "a", region = 0 : i64, size_bytes = 64 : i64}
  "npu.copy"(%x, %a) <{dstStride0 = 1 : i64, elementBytes = 1 : i64, fill = 2 : i64, operandSegmentSizes = array<i32: 1, 1>, size0 = 64 : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1 : i64, srcStride0 = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
  return
}
