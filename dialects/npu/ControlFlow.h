//===- ControlFlow.h - Blocks of commands and what decides ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A lowered function is commands in order, and control ops (npu.if, npu.while,
// npu.cores) that hold others. Commands without a decision between them are a
// block: its lists are submitted together, and when it ends, all units are
// idle.
//
//   for (const CommandBlock &block : commandBlocks(func))
//     scheduleBlock(block);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_NPU_CONTROLFLOW_H
#define YARROW_DIALECTS_NPU_CONTROLFLOW_H

#include "dialects/npu/Npu.h"
#include "isa/Machine.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <vector>

namespace yarrow::npu {

/// npu.if, npu.while or npu.cores.
bool isControl(mlir::Operation *op);
/// What npu.if or npu.while reads to decide.
Access flagOf(mlir::Operation *control);
/// What a command or a control op touches.
llvm::SmallVector<Access> touchedBy(mlir::Operation *op);
/// Is what it holds executed again and again?
bool repeats(mlir::Operation *control);
/// Is what it holds executed by several cores?
bool isDivided(mlir::Operation *control);
/// Whether several cores execute the function. Then blocks are theirs in turn,
/// and an SRAM keeps what it holds from one block of its core to the next.
bool usesCores(mlir::func::FuncOp func);

using CommandBlock = std::vector<mlir::Operation *>;
/// All that have commands, in the order of the text.
std::vector<CommandBlock> commandBlocks(mlir::func::FuncOp func);

/// How far the counters have come when a block is done.
isa::Waits completionOf(const CommandBlock &block, const isa::Machine &machine);

/// Every command and control op in the order of the text, which is that of
/// execution, were it not for what is left out or repeated.
void forEachCommand(mlir::func::FuncOp func,
                    llvm::function_ref<void(mlir::Operation *)> visit);

} // namespace yarrow::npu

#endif // YARROW_DIALECTS_NPU_CONTROLFLOW_H
