// Constants stay where they are: each has a place of its own, though no two are used
// together.
// RUN: yarrow-opt %s --yarrow-plan --yarrow-verify-plan | FileCheck %s

// CHECK-DAG: address = 0 : i64, buffer_name = "v"
// CHECK-DAG: address = 128 : i64, buffer_name = "w"
// CHECK: "npu.copy"
module attributes {npu.machine = "{\"name\": \"m\", \"base\": \"X2_1204\"}"} {
  func.func @npu_main() {
    %x = npu.buffer {buffer_name = "x", region = 3 : i64, size_bytes = 64 : i64}
    %y = npu.buffer {buffer_name = "y", region = 4 : i64, size_bytes = 64 : i64}
    %v = npu.buffer {buffer_name = "v", data = dense<"0x01060402000503010604020005030106040200050301060402000503010604020005030106040200050301060402000503010604020005030106040200050301060402000503010604020005030106040200050301060402000503010604020005030106"> : tensor<100xi8>, region = 1 : i64, size_bytes = 100 : i64}
    %w = npu.buffer {buffer_name = "w", data = dense<"0x01060402000503010604020005030106040200050301060402000503010604020005030106040200050301060402000503010604020005030106040200050301"> : tensor<64xi8>, region = 1 : i64, size_bytes = 64 : i64}
    "npu.copy"(%v, %y) <{dstStride0 = 1 : i64, elementBytes = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, queue = #npu.unit<"DMA store">, size0 = 64 : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1 : i64, srcStride0 = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
    "npu.copy"(%w, %y) <{dstStride0 = 1 : i64, elementBytes = 1 : i64, operandSegmentSizes = array<i32: 1, 1>, queue = #npu.unit<"DMA store">, size0 = 64 : i64, size1 = 1 : i64, size2 = 1 : i64, size3 = 1 : i64, size4 = 1 : i64, srcStride0 = 1 : i64}> {npu.layer = 0 : i64} : (!npu.buffer, !npu.buffer) -> ()
    return
  }
}
