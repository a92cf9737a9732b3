// Commands and buffers of the npu dialect are read back as they were printed.
// RUN: yarrow-opt %s > %t.mlir
// RUN: yarrow-opt %t.mlir | diff %t.mlir -
// RUN: FileCheck %s < %t.mlir

// CHECK-LABEL: func.func @npu_main
// CHECK: npu.buffer {buffer_name = "x", region = 3 : i64, size_bytes = 64 : i64}
// CHECK: npu.copy
func.func @npu_main() {
  %x = npu.buffer {buffer_name = "x", region = 3 : i64, size_bytes = 64 : i64}
  %s = npu.buffer {buffer_name = "x.tile", region = 0 : i64, size_bytes = 64 : i64}
  "npu.copy"(%x, %s) <{dstStride0 = 1 : i64, elementBytes = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, size0 = 64 : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1 : i64, srcStride0 = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
  return
}
