//===- ComparedLayers.h - Layers that find peaks of a tensor ----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// x == MaxPool(x) finds the peaks of a heat map. Both sides have one scale, so
// that values that are equal in floats are equal in integers. But neighbours
// that differ by less than a step are equal, too, and a peak becomes a plateau.
// The layers from the producer of the map to the comparison need more bits.
//
//   for (mlir::Operation *op : layersOfPeaks(module))
//     options.overrides.push_back(sixteenBits(op));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_RULES_COMPAREDLAYERS_H
#define YARROW_QUANTIZER_RULES_COMPAREDLAYERS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SetVector.h"

namespace yarrow {

/// Of the main graph of a float network: those whose results are compared with
/// a maximum or minimum of themselves, up to the products that they come of.
llvm::SetVector<mlir::Operation *> layersOfPeaks(mlir::ModuleOp module);

} // namespace yarrow

#endif // YARROW_QUANTIZER_RULES_COMPAREDLAYERS_H
