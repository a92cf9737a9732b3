// A command's fields hold what the descriptor's bits hold, and what it reads and
// writes is known to every pass.
// RUN: split-file %s %t
// RUN: not yarrow-opt %t/wide.mlir 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: not yarrow-opt %t/signed.mlir 2>&1 | FileCheck %s --check-prefix=SIGNED
// RUN: yarrow-opt %t/effects.mlir --cse --canonicalize | FileCheck %s

//--- wide.mlir
// WIDE: 'npu.copy' op attribute 'elementBytes' failed to satisfy constraint
// WIDE-SAME: maximum value is 255
func.func @npu_main() {
  %s = npu.buffer {buffer_name = "s", region = 0 : i64, size_bytes = 64 : i64}
  "npu.copy"(%s) <{operandSegmentSizes = array<i32: 0, 1>, elementBytes = 256 : i64, fill = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer) -> ()
  return
}

//--- signed.mlir
// SIGNED: 'npu.conv' op attribute 'padTop' failed to satisfy constraint
// SIGNED-SAME: minimum value is -32768
func.func @npu_main() {
  %s = npu.buffer {buffer_name = "s", region = 0 : i64, size_bytes = 64 : i64}
  "npu.conv"(%s, %s) <{operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0, 1, 0, 0, 0>, padTop = -32769 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
  return
}

//--- effects.mlir
// Two equal copies with a write between them: nothing may go.
// CHECK-COUNT-3: npu.copy
func.func @npu_main() {
  %x = npu.buffer {buffer_name = "x", region = 3 : i64, size_bytes = 64 : i64}
  %s = npu.buffer {buffer_name = "s", region = 0 : i64, size_bytes = 64 : i64}
  "npu.copy"(%x, %s) <{dstStride0 = 1 : i64, elementBytes = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, size0 = 64 : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1 : i64, srcStride0 = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
  "npu.copy"(%s, %x) <{dstStride0 = 1 : i64, elementBytes = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, size0 = 64 : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1 : i64, srcStride0 = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
  "npu.copy"(%x, %s) <{dstStride0 = 1 : i64, elementBytes = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, size0 = 64 : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1 : i64, srcStride0 = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
  return
}
