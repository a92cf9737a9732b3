//===- InputMoments.h - Moments of what meets weights -----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The first and second moments of the inputs of a layer's sums, in the float
// network and in the integer one: what rounding by second moments knows of a
// layer.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_ROUNDING_INPUTMOMENTS_H
#define YARROW_QUANTIZER_ROUNDING_INPUTMOMENTS_H

#include "quantizer/math/Matrix.h"

#include <cstddef>
#include <vector>

namespace yarrow {

/// Which network's inputs a moment is of, in the order E[first * second^T].
enum class InputsOf { Floats, Integers };

/// Of one group's inputs, as far as they are of a range of terms. Of float
/// inputs alone, both means are theirs.
struct InputMoments {
  std::vector<float> floatMean, intMean;
  std::size_t count = 0; ///< Rows.
  /// E[x x^T] without the means' part: of the inputs asked for, and of float
  /// inputs by integer ones if those were asked for.
  Matrix second, cross;
};

} // namespace yarrow

#endif // YARROW_QUANTIZER_ROUNDING_INPUTMOMENTS_H
