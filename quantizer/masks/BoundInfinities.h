//===- BoundInfinities.h - Constants of -inf as numbers ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// -inf in a constant stands for a masked position, or changes nothing in a
// maximum. Where all readers take it for one with a large number (DeadZones.h)
// it becomes one: no tensor of the network is then infinite, and a Softmax over
// a row of masked positions is not NaN. Networks that ask for this NaN, to
// have 0 in such rows, ask for the row's maximum in its place.
//
//   if (boundInfinities(module)) // IsNaN(Softmax(x)) is ReduceMax(x) < -32768
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_MASKS_BOUNDINFINITIES_H
#define YARROW_QUANTIZER_MASKS_BOUNDINFINITIES_H

#include "mlir/IR/BuiltinOps.h"

namespace yarrow {

/// What stands for an infinity: a number that float16 has, far beyond scores.
inline constexpr float kMasked = 65504;

/// Of the main graph of a float network. False if there was nothing to do.
bool boundInfinities(mlir::ModuleOp module);

} // namespace yarrow

#endif // YARROW_QUANTIZER_MASKS_BOUNDINFINITIES_H
