//===- Results.h - Where the results of layers are --------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Lists the layer results that an executable has completely in memory, with
// place and last command, for `yarrow bisect`, which compares them. Results
// that exist only in parts have no entry (bands of a cascade, the sum before a
// fused layer, a branch that a Concat stores differently).
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
