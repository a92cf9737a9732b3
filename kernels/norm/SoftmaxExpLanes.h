//===- SoftmaxExpLanes.h - FAST_EXP of many short rows ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A row of a few elements fills no strip, and its maximum, sum and logarithm
// take longer than its elements. So here each row is a lane: strips go through
// the columns, and what is one number a row is one strip for 32 of them. Only
// the results are stored row by row: there is no scatter here because that of
// Clang 22 takes an index for bytes times the bytes of an index.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_NORM_SOFTMAXEXPLANES_H
#define YARROW_KERNELS_NORM_SOFTMAXEXPLANES_H

#include "kernels/norm/SoftmaxExponents.h"
#include "kernels/norm/SoftmaxLog.h"

namespace yarrow::kernels {

class SoftmaxExpLanes {
public:
  /// Columns that the stack holds for 32 rows.
  static constexpr uint32_t kMostColumns = 32;

  explicit SoftmaxExpLanes(const SoftmaxExpParams &p) : p(p), exponents(p) {}

  /// Whether n rows are done together, and in less time than one by one.
  bool areWorthIt(uint32_t n) const {
    return p.shape.axis <= kMostColumns && 2 * n >= p.shape.axis;
  }

  /// The n rows from `first` on, at most 32.
  template <typename Byte>
  void apply(const void *input, void *output, uint32_t first,
             uint32_t n) const {
    uint32_t axis = p.shape.axis;
    auto *from = static_cast<const uint8_t *>(input) + first * axis;
    auto *to = static_cast<uint8_t *>(output) + first * axis;
    uint8_t columns[kMostColumns * kStrip];
    Strip<Byte> top = Strip<Byte>{} + kLowest<Byte>;
    auto isRow = __builtin_convertvector(kLanes < int32_t(n), Lanes);
    auto rows = __builtin_bit_cast(Places, kLanes * int32_t(axis));
    for (uint32_t j = 0; j < axis; ++j) {
      auto x = __builtin_bit_cast(
          Strip<Byte>,
          __builtin_masked_gather(isRow, rows, from + j, LaneBytes{}));
      top = __builtin_elementwise_max(top, x);
      storeStrip<Byte>(x, WholeStrip(), columns, j * kStrip);
    }
    uint8_t less[kStrip];
    shiftsOf<Byte>(columns, top, less);
    for (uint32_t r = 0; r < n; ++r) {
      Strip<uint8_t> shift;
      auto last = Strip<int32_t>{} + int32_t(axis - 1);
      gatherStrip(columns + r,
                  __builtin_elementwise_min(kLanes, last) * int32_t(kStrip),
                  shift);
      Strip<int16_t> y;
      exponents.results(shift, Strip<uint8_t>{} + less[r], y);
      storeStrip<uint8_t>(y, PartOfStrip{axis}, to, r * axis);
    }
  }

private:
  typedef int32_t Places __attribute__((ext_vector_type(kStrip)));
  typedef bool Lanes __attribute__((ext_vector_type(kStrip)));
  typedef uint8_t LaneBytes __attribute__((ext_vector_type(kStrip)));

  /// Of the bytes of the columns makes the exponents, negated; and for each row
  /// what SoftmaxExponents::results asks for.
  template <typename Byte>
  void shiftsOf(uint8_t *columns, const Strip<Byte> &top, uint8_t *less) const {
    Strip<uint32_t> sum{};
    for (uint32_t j = 0; j < p.shape.axis; ++j) {
      Strip<int16_t> x;
      loadStrip<Byte>(columns, j * kStrip, WholeStrip(), x);
      x -= __builtin_convertvector(top, Strip<int16_t>);
      Strip<int8_t> shift;
      exponents.negate(x, shift);
      storeStrip<int8_t>(shift, WholeStrip(), columns, j * kStrip);
      exponents.addPower(shift, sum);
    }
    Strip<int32_t> log2Sum;
    logarithmsOf(sum, p.pow2OutQ, p.adjustQ, log2Sum);
    storeStrip<uint8_t>(log2Sum, WholeStrip(), less, 0);
  }

  const SoftmaxExpParams &p;
  SoftmaxExponents exponents;
};

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_NORM_SOFTMAXEXPLANES_H
