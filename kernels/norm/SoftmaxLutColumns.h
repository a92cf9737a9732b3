//===- SoftmaxLutColumns.h - Softmax by table, rows side by side -*- C++ -*-==//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Where the axis is not the innermost one, neighbours belong to rows that lie
// side by side: each row is a lane, and what is one number a row, the maximum,
// the sum and the quotient, is one strip for 32 of them.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_NORM_SOFTMAXLUTCOLUMNS_H
#define YARROW_KERNELS_NORM_SOFTMAXLUTCOLUMNS_H

#include "kernels/StripRequant.h"
#include "kernels/norm/Softmax.h"

namespace yarrow::kernels {

/// Of bytes, tables of one entry for each difference, and results before their
/// last shift of at most 32 bits.
class SoftmaxLutColumns {
public:
  SoftmaxLutColumns(const SoftmaxLutParams &p, const void *input,
                    const void *table, void *output)
      : p(p), input(static_cast<const uint8_t *>(input)), table(table),
        output(static_cast<uint8_t *>(output)) {}

  /// The rows whose first elements are the neighbours from `first` on. False,
  /// and nothing is stored, if a sum or a numerator has more than 32 bits.
  template <typename Size> bool apply(int64_t first, Size size) const {
    switch (dtypeBytes(p.tableType)) {
    case 1:
      return applyTable(static_cast<const uint8_t *>(table), first, size);
    case 2:
      return applyTable(static_cast<const uint16_t *>(table), first, size);
    default:
      return applyTable(static_cast<const uint32_t *>(table), first, size);
    }
  }

private:
  /// Exponentials of so many elements of a row are kept, 4 KiB for 32 rows.
  static constexpr uint32_t kKept = 32;

  template <typename Byte, typename Size>
  static void greatest(const uint8_t *from, uint32_t axis, uint32_t inner,
                       Size size, Strip<uint8_t> &top) {
    Strip<Byte> best = Strip<Byte>{} + kLowest<Byte>, x;
    for (uint32_t j = 0; j < axis; ++j, from += inner) {
      loadStrip<Byte>(from, 0, size, x);
      best = __builtin_elementwise_max(best, x);
    }
    top = __builtin_bit_cast(Strip<uint8_t>, best);
  }

  template <typename Entry, typename Size>
  bool applyTable(const Entry *entries, int64_t first, Size size) const {
    // In registers: bytes that are stored may be anything, parameters too.
    uint32_t axis = p.shape.axis, inner = p.shape.inner;
    int32_t right = p.shift + p.extraBits, zp = p.zp, lo = p.lo, hi = p.hi;
    const uint8_t *from = input + first;
    uint32_t kept[kKept * kStrip];
    bool isKept = axis <= kKept;
    Strip<uint8_t> top;
    if (p.inType == DType::I8)
      greatest<int8_t>(from, axis, inner, size, top);
    else
      greatest<uint8_t>(from, axis, inner, size, top);
    top = uint8_t(255) - top; // modulo 2^8, also of signed bytes
    auto lookUp = [&](const uint8_t *at, Strip<uint32_t> &e) {
      Strip<uint8_t> x;
      loadStrip<uint8_t>(at, 0, size, x);
      x += top;
      gatherStrip(entries, __builtin_convertvector(x, Strip<int32_t>), e);
    };
    Strip<uint32_t> sum{}, most{}, e;
    for (uint32_t j = 0; j < axis; ++j, from += inner) {
      lookUp(from, e);
      sum = __builtin_elementwise_add_sat(sum, e);
      if (p.numeratorFirst)
        most = __builtin_elementwise_max(most, e);
      if (isKept)
        storeStrip<uint32_t>(e, WholeStrip(), kept, j * kStrip);
    }
    // With half of the sum a numerator of 2^31 has 32 bits.
    uint32_t left = uint32_t(p.extraBits), mostNumerator = (1u << 31) >> left;
    if (__builtin_reduce_max(sum) == UINT32_MAX ||
        (p.numeratorFirst && __builtin_reduce_max(most) > mostNumerator))
      return false;
    Strip<uint32_t> divisor =
        __builtin_elementwise_max(sum, Strip<uint32_t>{} + 1u);
    Strip<uint32_t> half = sum >> 1, reverse{};
    if (!p.numeratorFirst)
      reverse = (Strip<uint32_t>{} + (uint32_t(p.scale) << left)) / divisor;
    bool isPlain = zp == 0 && lo <= 0 && hi >= 0; // no limit but hi
    uint8_t *to = output + first;
    from = input + first;
    for (uint32_t j = 0; j < axis; ++j, from += inner, to += inner) {
      if (isKept)
        loadStrip<uint32_t>(kept, j * kStrip, WholeStrip(), e);
      else
        lookUp(from, e);
      if (p.numeratorFirst)
        e = ((e << left) + half) / divisor * uint32_t(p.scale);
      else
        e *= reverse; // at most scale << extraBits, as e is of the sum
      roundShift(e, right);
      if (isPlain) {
        e = __builtin_elementwise_min(e, Strip<uint32_t>{} + uint32_t(hi));
        storeStrip<uint8_t>(e, size, to, 0);
        continue;
      }
      auto y = __builtin_convertvector(e, Strip<int32_t>);
      limitStrip(y, zp, lo, hi);
      storeStrip<uint8_t>(y, size, to, 0);
    }
    return true;
  }

  const SoftmaxLutParams &p;
  const uint8_t *input;
  const void *table;
  uint8_t *output;
};

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_NORM_SOFTMAXLUTCOLUMNS_H
