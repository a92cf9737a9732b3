//===- LayerIntegers.h - The integers that a layer is defined by *- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A layer's constants as the integer IR has them, before lowering, for the
// provenance. A proof of the executable compares the constants of its commands
// with them (prove/ConstantProof.h).
//
//   row["integers"].push_back(integersOf(layer));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_CODEGEN_LAYERINTEGERS_H
#define YARROW_CODEGEN_LAYERINTEGERS_H

#include "mlir/IR/Operation.h"
#include <nlohmann/json.hpp>

namespace yarrow {

/// Of biases, multipliers and shifts the numbers, of weights a digest for each
/// output channel, of a table one of its entries, as 32-bit words.
nlohmann::ordered_json integersOf(mlir::Operation *layer);

} // namespace yarrow

#endif // YARROW_CODEGEN_LAYERINTEGERS_H
