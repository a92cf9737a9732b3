//===- NetworkDiff.h - What changed from one IR to another ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Compares two networks layer by layer, by their names: added and removed
// layers, types, shapes, scales, parameters, weights. The largest change comes
// first.
//
//   for (const LayerChange &change : diffNetworks(*before, *after))
//     os << change.layer << ": " << change.text << "\n";
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_COMPARE_NETWORKDIFF_H
#define YARROW_COMPILER_COMPARE_NETWORKDIFF_H

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace yarrow {

struct LayerChange {
  std::string layer, type;
  /// "scale 33.5 -> 41.2 (x1.23); weights: 12 of 1,024 bytes"
  std::string text;
  /// Ranks changes of different kinds: a layer that is there or not, its type,
  /// a shape or element type, a scale by its factor, constants by the share
  /// that changed, parameters.
  double weight = 0;
};

/// The heaviest change first, those of equal weight in the order of \p before.
/// Of two layers with one name in a network, the first is compared. The
/// networks may be in two contexts.
std::vector<LayerChange> diffNetworks(mlir::ModuleOp before,
                                      mlir::ModuleOp after);

} // namespace yarrow

#endif // YARROW_COMPILER_COMPARE_NETWORKDIFF_H
