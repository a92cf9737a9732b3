//===- Sampling.h - Where a resized image reads its pixels ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Resizing goes axis by axis: each position of the result is a weighted mean of
// positions of the input.
//
//   Sampling how{Sampling::Mode::HalfPixel, /*in=*/4, /*out=*/8};
//   how.place(0);                           // -0.25
//   how.cubicRow(0, -0.75, false, false);   // 4 weights
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GRAPH_SAMPLING_H
#define YARROW_PARSER_GRAPH_SAMPLING_H

#include <cstdint>
#include <optional>
#include <vector>

namespace yarrow::graph {

struct Sampling {
  /// The first numbers are those of QNN's transformation_mode.
  enum class Mode {
    HalfPixel,
    PytorchHalfPixel,
    AlignCorners,
    Asymmetric,
    HalfPixelSymmetric,
    TfHalfPixelForNn,
    Crop ///< Of a region between two corners.
  };
  /// The numbers are those of QNN's nearest_mode.
  enum class Nearest { PreferFloor, PreferCeil, Floor, Ceil };

  Mode mode;
  std::int64_t in, out; ///< Lengths.
  /// Positions of the result for one of the input, if that is not the ratio of
  /// the lengths: a length that is no whole number was rounded.
  std::optional<float> scale = {};
  /// Corners of the region, 0 the first position and 1 the last.
  double begin = 0, end = 1;

  /// Where position \p o of the result lies in the input.
  double place(std::int64_t o) const;
  /// Whether it lies in the input: of a region it may not.
  bool isInside(std::int64_t o) const;
  /// The position that is taken of it.
  std::int64_t nearest(std::int64_t o, Nearest how) const;

  /// Whether float32 finds the same positions: a ratio of lengths that it has
  /// exactly, or no place that is near to where another position is taken.
  bool isCertain(Nearest how) const;

  /// Weights of all positions of the input. Beyond its ends it goes on as it
  /// ends, or those places are left out. Where a result is smaller and
  /// \p antialias, the kernel is as much wider.
  std::vector<double> linearRow(std::int64_t o, bool excludesOutside,
                                bool antialias) const;
  std::vector<double> cubicRow(std::int64_t o, double coefficient,
                               bool excludesOutside,
                               bool antialias = false) const;
  /// A triangle as wide as the positions of the result lie apart.
  std::vector<double> smoothRow(std::int64_t o) const;

private:
  double ratio() const {
    return scale ? double(*scale) : double(out) / double(in);
  }
  double cropped(std::int64_t o) const;
};

} // namespace yarrow::graph

#endif // YARROW_PARSER_GRAPH_SAMPLING_H
