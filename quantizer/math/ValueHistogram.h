//===- ValueHistogram.h - How values of a tensor are spread -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Counts of values in equal bins around 0, without knowing their range before:
// the bound is a power of two that grows with the values, and two bins become
// one when it does. Edges of coarse bins are edges of fine ones, so the result
// does not depend on the order of values or of merging.
//
//   ValueHistogram h;
//   h.add(values);
//   h.bound(); h.counts(); // bin i begins at (i / kHalf - 1) * bound
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_MATH_VALUEHISTOGRAM_H
#define YARROW_QUANTIZER_MATH_VALUEHISTOGRAM_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace yarrow {

class ValueHistogram {
public:
  static constexpr std::size_t kHalf = 64, kBins = 2 * kHalf;

  /// Values that are not finite are left out.
  void add(std::span<const float> values);
  void merge(const ValueHistogram &other);

  bool isEmpty() const { return exponent == kEmpty; }
  /// All values are in [-bound, bound).
  double bound() const;
  const std::array<uint64_t, kBins> &counts() const { return bins; }
  float min() const { return least; }
  float max() const { return largest; }

private:
  static constexpr int kEmpty = -1000;

  void growTo(int wanted);

  int exponent = kEmpty; ///< The bound is 2 to this power.
  std::array<uint64_t, kBins> bins{};
  float least = 0, largest = 0;
};

} // namespace yarrow

#endif // YARROW_QUANTIZER_MATH_VALUEHISTOGRAM_H
