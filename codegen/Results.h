//===- Results.h - Where the results of layers are --------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Which results of a network's layers an executable has in memory as a whole,
// where, and right after which command: for `yarrow bisect`, which compares
// them. A result that exists in parts only (bands of a cascade, the sum before
// a fused layer, a branch that a Concat has its own way) has no such place.
//
//   addResults(module, places, firstLayer, root["results"]);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_CODEGEN_RESULTS_H
#define YARROW_CODEGEN_RESULTS_H

#include "isa/Types.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include <nlohmann/json_fwd.hpp>

namespace yarrow {

/// A command of a queue, or a step of the TECs.
struct CommandPlace {
  isa::Unit unit;
  uint64_t index;
};
using CommandPlaces = llvm::DenseMap<mlir::Operation *, CommandPlace>;

/// Appends those of one program, whose layers are numbered from \p firstLayer
/// on, which becomes that of the next.
void addResults(mlir::ModuleOp module, const CommandPlaces &places,
                int64_t &firstLayer, nlohmann::ordered_json &results);

} // namespace yarrow

#endif // YARROW_CODEGEN_RESULTS_H
