//===- Npu.h - The dialect of engine commands -----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A lowered module holds func.func @npu_main beside the network: npu.buffer
// ops, then commands and kernels in an order in which executing one after the
// other is correct, some of them within control ops (ControlFlow.h). Each
// command's `npu.layer`, an index into the module's layer table, and its
// location say where it came from. Target.h: for which machine.
//
//   %x = npu.buffer {region = 0, size_bytes = 16384, buffer_name = "input_0"}
//   npu.conv %x, %w, ... {inHeight = 32, ..., npu.layer = 1}
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_NPU_NPU_H
#define YARROW_DIALECTS_NPU_NPU_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"

#include "dialects/npu/EnumText.h"
#include "isa/Descriptors.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace yarrow::npu {

using isa::Unit;

/// Does it execute copies?
constexpr bool isDmaQueue(Unit unit) {
  return isa::isQueue(unit) && isa::engineOf(unit) == isa::Engine::Dma;
}

/// A range of bytes that a command reads or writes, relative to a buffer.
struct Access {
  mlir::Value buffer;
  uint64_t offsetBytes = 0, sizeBytes = 0;
  bool isWrite = false;
};

} // namespace yarrow::npu

#include "dialects/npu/NpuDialect.h.inc"
#include "dialects/npu/NpuInterfaces.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/npu/NpuAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/npu/NpuTypes.h.inc"
#define GET_OP_CLASSES
#include "dialects/npu/NpuOps.h.inc"

namespace yarrow::npu {

/// On a command: index of its layer in the module's layer table.
constexpr llvm::StringLiteral kLayerAttr = "npu.layer";
/// On the module: the layer table (passes/lower/describe/LayerTable.h).
constexpr llvm::StringLiteral kLayersAttr = "npu.layers";
/// On the module: how convolutions were cut, and what the cost model says of
/// the commands that this makes (passes/lower/choose/ConvTiling.h).
constexpr llvm::StringLiteral kTilingsAttr = "npu.tilings";
/// The function with the commands.
constexpr llvm::StringLiteral kMainFunction = "npu_main";

/// Roles of a kernel's buffers (npu.kernel).
enum Role : int64_t { RoleNull = 0, RoleRead = 1, RoleWrite = 2, RoleBoth = 3 };

} // namespace yarrow::npu

#endif // YARROW_DIALECTS_NPU_NPU_H
