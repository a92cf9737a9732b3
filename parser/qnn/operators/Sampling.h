//===- Sampling.h - Where a resized image reads its pixels ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Resizing goes axis by axis: each position of the result is a weighted mean of
// positions of the input.
//
//   Sampling how{Sampling::Mode::HalfPixel, /*in=*/4, /*out=*/8};
//   how.place(0);                    // -0.25
//   how.cubicRow(0, -0.75, false);   // 4 weights
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_QNN_OPERATORS_SAMPLING_H
#define YARROW_PARSER_QNN_OPERATORS_SAMPLING_H

#include <cstdint>
#include <vector>

namespace yarrow::qnn {

struct Sampling {
  /// The numbers are those of Resize's transformation_mode.
  enum class Mode { HalfPixel, PytorchHalfPixel, AlignCorners, Asymmetric };
  /// The numbers are those of Resize's nearest_mode.
  enum class Nearest { PreferFloor, PreferCeil, Floor, Ceil };

  Mode mode;
  std::int64_t in, out; ///< Lengths.

  /// Where position \p o of the result lies in the input.
  double place(std::int64_t o) const;
  /// The position that is taken of it.
  std::int64_t nearest(std::int64_t o, Nearest how) const;

  /// Whether float32 finds the same positions: a ratio of lengths that it has
  /// exactly, or no place that is near to where another position is taken.
  bool isCertain(Nearest how) const;

  /// Weights of all positions of the input. Beyond its ends it goes on as it
  /// ends, or those places are left out.
  std::vector<double> linearRow(std::int64_t o) const;
  std::vector<double> cubicRow(std::int64_t o, double coefficient,
                               bool excludesOutside) const;
  /// A triangle as wide as the positions of the result lie apart.
  std::vector<double> smoothRow(std::int64_t o) const;
};

} // namespace yarrow::qnn

#endif // YARROW_PARSER_QNN_OPERATORS_SAMPLING_H
