//===- IntegerForms.h - What integer layers multiply by ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Numbers that a layer's kernels use, but no key contains, for code that writes
// a layer's arithmetic in other operators.
//
//   if (auto table = lookupOf(op))
//     ... // y = entries[x - first]
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_INTEGERFORMS_H
#define YARROW_DIALECTS_COMPASS_INTEGERFORMS_H

#include "dialects/compass/Compass.h"

namespace yarrow::compass {

/// Of the sum of \p cells values of \p in, with their zero points, to values of
/// \p out: an approximation of the ratio of scales over the number of cells.
double averageMultiplier(const TensorInfo &in, const TensorInfo &out,
                         uint32_t cells);

/// A layer that is one look-up: entries[x - first], as stored.
struct Lookup {
  ConstantView entries;
  int64_t first = 0;
};
/// Null if the layer is something else, or interpolates.
std::optional<Lookup> lookupOf(mlir::Operation *op);

/// Softmax by a table of exponentials e = entries[x - max(x) + last], with
/// S = sum(e) and u = extraBits:
///   y = round(e * floor(scale * 2^u / S) / 2^(shift + u))
/// or, with numeratorFirst,
///   y = round(floor((e * 2^u + floor(S / 2)) / S) * scale / 2^(shift + u)).
struct SoftmaxByTable {
  ConstantView entries;
  bool numeratorFirst = false;
  int32_t scale = 1, shift = 0, extraBits = 0;
};
/// Null if the layer is something else, or interpolates.
std::optional<SoftmaxByTable> softmaxByTableOf(mlir::Operation *op);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_INTEGERFORMS_H
