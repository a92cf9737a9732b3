//===- Division.h - Layers among several cores ------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The cores of a chip share only the DDR. A layer is divided by rows of its
// results, for which every core loads all weights, or by channels, for which it
// loads the whole input, whichever needs less bandwidth. Its tensors go through
// DDR, because several cores write or read them.
//
//   Division division = findDivision(order, isLarge, touched);
//   if (division.crossing.contains(storage)) ... // must not stay in SRAM
//   std::optional<DividedConv> cut =
//       cutForCores(layer, {freeBytes}, residents, cores, machine);
//   if (cut && cut->cycles < alone) ... // a range of cut->ranges for each core
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_LOWER_CHOOSE_DIVISION_H
#define YARROW_PASSES_LOWER_CHOOSE_DIVISION_H

#include "isa/Machine.h"
#include "mlir/IR/Operation.h"
#include "passes/lower/choose/ConvTiling.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace yarrow::npu {

struct Division {
  /// Layers that are divided, each the last op of what is computed together.
  llvm::DenseSet<mlir::Operation *> layers;
  /// Storages that are used by more than one block of commands.
  llvm::DenseSet<mlir::Value> crossing;
};

/// \p isDivided is asked of each op; what follows one another and is not
/// divided is one core's. \p touchedBy gives the storages that an op reads and
/// writes; none of an op that has no commands.
Division findDivision(
    llvm::ArrayRef<mlir::Operation *> order,
    llvm::function_ref<bool(mlir::Operation *)> isDivided,
    llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Operation *)>
        touchedBy);

/// What it takes, roughly, until all cores are done and others have begun.
inline constexpr uint64_t kBarrierCycles = 400;

enum class DivideBy { Rows, Channels };

/// A range for each of up to \p cores cores, the first of which is the largest;
/// one if the layer has too few rows or channels to divide.
llvm::SmallVector<OutputRange> rangesOf(const ConvLayer &layer, uint32_t cores,
                                        DivideBy by,
                                        const isa::Machine &machine);

/// How cores compute a convolution together.
struct DividedConv {
  llvm::SmallVector<OutputRange> ranges; ///< By core.
  ConvTiling tiling;                     ///< Of each of them.
  isa::WorkCost work;                    ///< Of all of them.
  /// Of the slowest core's tensor engine; with what it waits for before and
  /// behind; and of all cores on the bus.
  uint64_t tensorCycles = 0, slowestCycles = 0, busCycles = 0;
  uint64_t cycles = 0; ///< From one barrier to the next.
};

/// The way that is ready first; none if the layer cannot be divided, or its
/// parts do not fit.
std::optional<DividedConv> cutForCores(const ConvLayer &layer,
                                       TilingLimits limits,
                                       const ConvResidents &resident,
                                       uint32_t cores,
                                       const isa::Machine &machine);

} // namespace yarrow::npu

#endif // YARROW_PASSES_LOWER_CHOOSE_DIVISION_H
