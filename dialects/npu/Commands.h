//===- Commands.h - Between descriptors and npu ops -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// An npu command op has the fields of a descriptor; its address fields are
// offsets in buffer operands. These functions make an op from a descriptor and,
// once the buffers have addresses, the descriptor from the op.
//
//   isa::Pool pool; pool.inHeight = 8; ...
//   createCommand(builder, loc, layer, pool, {{"input", x}, {"output", y}});
//   std::optional<isa::AnyDescriptor> d = descriptorOf(op);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_NPU_COMMANDS_H
#define YARROW_DIALECTS_NPU_COMMANDS_H

#include "dialects/npu/Npu.h"
#include "isa/Descriptors.h"
#include "llvm/ADT/SmallVector.h"

namespace yarrow::npu {

/// Which buffer an address field points into.
struct FieldBuffer {
  llvm::StringRef field;
  mlir::Value buffer;
};

/// Appends the op of a descriptor. Fields that are not in \p buffers keep their
/// value as a plain number.
mlir::Operation *createCommand(mlir::OpBuilder &builder, mlir::Location loc,
                               int64_t layer,
                               const isa::AnyDescriptor &descriptor,
                               llvm::ArrayRef<FieldBuffer> buffers);

/// Creates an npu.buffer at the builder's place.
BufferOp createBuffer(mlir::OpBuilder &builder, mlir::Location loc,
                      unsigned region, uint64_t sizeBytes, llvm::StringRef name,
                      mlir::ElementsAttr data = {});

/// The descriptor of a command; buffer addresses are added to the offsets if
/// the buffers have them. nullopt for other ops.
std::optional<isa::AnyDescriptor> descriptorOf(mlir::Operation *op);

/// Which unit executes the op; none does buffers and terminators.
std::optional<Unit> unitOf(mlir::Operation *op);

/// Everything a command or kernel touches, as bounding ranges.
llvm::SmallVector<Access> accessesOf(mlir::Operation *op);

} // namespace yarrow::npu

#endif // YARROW_DIALECTS_NPU_COMMANDS_H
