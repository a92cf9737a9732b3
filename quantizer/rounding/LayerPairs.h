//===- LayerPairs.h - The layers of two forms of a network ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Which float layer an integer layer was made of, by the name of the tensor
// that both make.
//
//   for (LayerPair pair : pairLayers(floatModule, intModule))
//     if (pair.floatOp) compare(pair.floatOp, pair.intOp);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_ROUNDING_LAYERPAIRS_H
#define YARROW_QUANTIZER_ROUNDING_LAYERPAIRS_H

#include "mlir/IR/BuiltinOps.h"

#include <vector>

namespace yarrow {

/// An integer layer and its float counterpart, or null.
struct LayerPair {
  mlir::Operation *intOp, *floatOp;
};

/// All layers of \p intModule's main graph, in its order.
std::vector<LayerPair> pairLayers(mlir::ModuleOp floatModule,
                                  mlir::ModuleOp intModule);

} // namespace yarrow

#endif // YARROW_QUANTIZER_ROUNDING_LAYERPAIRS_H
