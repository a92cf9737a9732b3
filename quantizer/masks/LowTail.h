//===- LowTail.h - Values far below all others ------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Masked positions of a tensor hold -1e4, the least float or -inf, far below
// the other values. A tail counts values by their power of two, so that a
// single pass over the data finds every gap of a factor of two or more, with
// the exact numbers at both sides.
//
//   LowTail tail;
//   tail.add({-10000, -3, 0.5, 2});
//   tail.gaps();   // {{.below = -10000, .above = -3}}
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_MASKS_LOWTAIL_H
#define YARROW_QUANTIZER_MASKS_LOWTAIL_H

#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace yarrow {

class LowTail {
public:
  /// NaN is passed over; -inf is the lowest value of all.
  void add(std::span<const float> values);
  void add(float value);
  void merge(const LowTail &other);

  /// No value lies between \p below and \p above, and no power of two's worth
  /// of them: [2^n, 2^(n+1)) is empty.
  struct Gap {
    float below, above;
  };
  /// The one next to 0 first.
  std::vector<Gap> gaps() const;
  bool isEmpty() const { return least() > most(); }
  float least() const;
  float most() const;

private:
  static constexpr float kNone = std::numeric_limits<float>::infinity();
  static constexpr int kLeastExponent = -10, kMostExponent = 127;
  /// That of what is not below -2^kLeastExponent, one for each power of two,
  /// that of -inf.
  static constexpr std::size_t kBins = kMostExponent - kLeastExponent + 3;

  struct Bin {
    float least = kNone, most = -kNone;
    bool isUsed = false;
  };

  std::array<Bin, kBins> bins;
};

} // namespace yarrow

#endif // YARROW_QUANTIZER_MASKS_LOWTAIL_H
