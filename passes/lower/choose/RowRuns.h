//===- RowRuns.h - Layers that cores compute row by row ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The cores of a chip share only the DDR. In a run of consecutive layers, each
// core computes some rows of every layer, and all tensors between the layers
// stay in its SRAM. Rows that another core's windows need, too, are computed by
// both. So only the tensors at the ends of a run go through DDR, and a run has
// one barrier, however many layers it has.
//
//   std::vector<CorePart> parts = findParts(layers, machine, costs);
//   for (const CorePart &part : parts)
//     if (part.kind == CorePart::Kind::Run)
//       RunRows rows = rowsOfRun(layers, part, cores);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_LOWER_CHOOSE_ROWRUNS_H
#define YARROW_PASSES_LOWER_CHOOSE_ROWRUNS_H

#include "isa/Machine.h"
#include "kernels/pool/Pool.h"
#include "mlir/IR/Operation.h"
#include "passes/lower/describe/ConvTile.h"
#include "llvm/ADT/MapVector.h"

#include <memory>
#include <vector>

namespace yarrow::npu {

/// Rows of a tensor, from `begin` to before `end`.
struct Rows {
  uint32_t begin = 0, end = 0;

  uint32_t count() const { return end - begin; }
  Rows hull(Rows other) const {
    if (end == begin)
      return other;
    return {std::min(begin, other.begin), std::max(end, other.end)};
  }
  bool operator==(const Rows &) const = default;
};

/// The rows of \p height that core \p core of \p cores owns.
Rows ownRows(uint32_t height, uint32_t core, uint32_t cores);

/// A layer in the order of the network, and how its rows depend on others'.
struct RowLayer {
  enum class Kind {
    Other, ///< One core computes it.
    Conv,
    Pool,
    Join ///< A Concat whose branches write to it themselves.
  };
  struct Read {
    mlir::Value value;
    uint64_t sizeBytes, rowBytes;
    bool isAligned; ///< Row by row; else by windows.
  };

  mlir::Operation *op = nullptr; ///< The last one of what is computed together.
  Kind kind = Kind::Other;
  llvm::SmallVector<Read, 3> reads;
  mlir::Value result;
  uint32_t height = 0; ///< Rows of the result.
  uint64_t rowBytes = 0;
  std::unique_ptr<ConvLayer> conv; ///< Also of Other, if the engine does it.
  kernels::PoolShape pool = {};
  uint64_t weightBytes = 0;
  uint64_t otherCycles = 0; ///< On one core, if it is neither Conv nor Pool.
  /// The last layer that reads the result; SIZE_MAX: what is behind all.
  size_t lastReader = 0;
  /// A Join is in the run of its branches: the layers that must not be apart.
  size_t firstTogether = 0, lastTogether = 0;

  bool isOfRows() const { return kind != Kind::Other; }
};

/// The rows of an operand for some rows of the result.
Rows rowsUnder(const RowLayer &layer, const RowLayer::Read &read, Rows rows);

/// Consecutive layers between two barriers.
struct CorePart {
  enum class Kind {
    Alone,  ///< On one core.
    Run,    ///< Each core has its rows of all layers.
    Divided ///< One layer, divided by itself.
  };
  Kind kind = Kind::Alone;
  size_t first = 0, last = 0; ///< Layers.
};

struct PartOptions {
  uint32_t cores = 1;
  /// 0: each part takes as long as what it waits for most. Else weights are
  /// loaded beside any of the parts before, so that all parts together wait for
  /// one thing: the slowest cores, or the bus in so many percent of its cycles.
  uint32_t busPercent = 0;
};

/// What a part takes of the slowest core and of the bus.
struct PartCycles {
  uint64_t core = 0, bus = 0;
  /// What the core waits for first, and what is stored behind it; and for the
  /// weights that it begins with, if they are not loaded before the part.
  uint64_t edges = 0, weightEdges = 0;
};

/// The cheapest parts of all \p layers. \p divided gives what a layer takes
/// that is divided by itself, if it can be.
std::vector<CorePart> findParts(
    llvm::ArrayRef<RowLayer> layers, const PartOptions &options,
    const isa::Machine &machine,
    llvm::function_ref<std::optional<PartCycles>(const RowLayer &)> divided);

/// By value, the rows of it that a core has in a run.
using RunRows = llvm::MapVector<mlir::Value, Rows>;
RunRows rowsOfRun(llvm::ArrayRef<RowLayer> layers, const CorePart &run,
                  uint32_t core, uint32_t cores);

} // namespace yarrow::npu

#endif // YARROW_PASSES_LOWER_CHOOSE_ROWRUNS_H
