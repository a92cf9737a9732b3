//===- CellLanes.h - Vectors of recurrent cells -----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Steps of recurrent layers have few cells for each TEC, of which many values
// are alive at once, some in 64 bits: vectors of 8 or 16 cells, less than a
// strip (Strips.h).
//
//   forEachCell(batch, cells, task, taskCount,
//               [&](uint32_t entry, uint32_t cell, auto size) {
//     Cells<decltype(size)> x, y;
//     loadStrip<int32_t>(products, entry * stride + cell, size, x);
//     requantizeSmall(x, most, p.gates, lo, hi);
//     lookUpCells<int8_t>(table, p.log2Gates, x, y);
//   });
//
// Vectors go by reference, as hosts and TECs would pass them in other ways.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_SEQUENCE_CELLLANES_H
#define YARROW_KERNELS_SEQUENCE_CELLLANES_H

#include "kernels/StripRequant.h"
#include "kernels/sequence/RecurrentCells.h"

namespace yarrow::kernels {

template <typename Size> using Cells = Fitting<int32_t, Size>;
template <typename Size> using WideCells = Fitting<int64_t, Size>;

/// Vectors of 64-bit elements with as many lanes.
template <typename Vector> using Widened = Like<int64_t, Vector>;

/// Calls fn(entry, cell, size) for the cells of a task's share, up to 16 of one
/// entry of the batch at a time. Sizes are those of parts, of which TECs have
/// one form and not two.
template <typename Fn>
inline void forEachCell(uint32_t batch, uint32_t cells, uint32_t task,
                        uint32_t taskCount, Fn fn) {
  Share share = shareOf(batch * cells, task, taskCount);
  for (uint32_t i = share.begin, n; i < share.end; i += n) {
    uint32_t entry = i / cells, cell = i % cells;
    n = cells - cell < share.end - i ? cells - cell : share.end - i;
    n = n < 16 ? n : 16;
    if (n > 8)
      fn(entry, cell, PartOf<16>{n});
    else
      fn(entry, cell, PartOf<8>{n});
  }
}

template <typename Vector>
inline void limitLanes(Vector &x, int32_t lo, int32_t hi) {
  x = __builtin_elementwise_max(x, Vector{} + lo);
  x = __builtin_elementwise_min(x, Vector{} + hi);
}

/// x = clip(RNE(x * scale / 2^shift), lo, hi) of 64-bit |x| < 2^46.
template <typename Wide>
inline void requantizeWide(Wide &x, CellScale by, int32_t lo, int32_t hi) {
  x *= by.scale;
  roundShift(x, by.shift);
  limitLanes(x, lo, hi);
}

/// The same of 32-bit |x| <= most, in 32 bits where products fit.
template <typename Vector>
inline void requantizeSmall(Vector &x, int64_t most, CellScale by, int32_t lo,
                            int32_t hi) {
  if (most * by.scale <= int64_t(1) << 30) {
    // Half of 2^31 rounds to 0, as any shift beyond 31 has it.
    roundShift(x *= by.scale, by.shift < 31 ? by.shift : 31);
    return limitLanes(x, lo, hi);
  }
  auto wide = __builtin_convertvector(x, Widened<Vector>);
  requantizeWide(wide, by, lo, hi);
  x = __builtin_convertvector(wide, Vector);
}

/// x = clip(RNE(x * m / 2^32), lo, hi), m a vector or a number below 2^31: the
/// upper half of a product, and the lower one for the rounding.
template <typename Vector, typename Multiplier>
inline void requantizeHigh(Vector &x, const Multiplier &m, int32_t lo,
                           int32_t hi) {
  using Unsigned = Like<uint32_t, Vector>;
  auto wide = __builtin_convertvector(x, Widened<Vector>);
  Vector factors = Vector{} + m;
  wide *= __builtin_convertvector(factors, Widened<Vector>);
  wide >>= 32;
  Vector high = __builtin_convertvector(wide, Vector);
  auto low =
      __builtin_bit_cast(Unsigned, x) * __builtin_bit_cast(Unsigned, factors);
  // Rounds up above a half, and at a half if that makes it even.
  Unsigned sum = low + (__builtin_bit_cast(Unsigned, high) & 1u) + 0x7fffffffu;
  x = high - __builtin_convertvector(sum < low, Vector);
  limitLanes(x, lo, hi);
}

/// product = a * b
template <typename Vector>
inline void multiplyLanes(const Vector &a, const Vector &b,
                          Widened<Vector> &product) {
  product = __builtin_convertvector(a, Widened<Vector>) *
            __builtin_convertvector(b, Widened<Vector>);
}

/// y: the function of a table of 2^log2Size entries at each of x, which are of
/// type T (kernels/activation/Lookup.h). Changes x.
template <typename T, typename Vector>
inline void lookUpCells(const void *entries, uint32_t log2Size, Vector &x,
                        Vector &y) {
  constexpr uint32_t kBits = 8 * sizeof(T);
  auto *table = static_cast<const T *>(entries);
  x += 1 << (kBits - 1);
  if (log2Size == kBits)
    return gatherStrip(table, x, y);
  int32_t fractionBits = int32_t(kBits - log2Size);
  Vector entry = x >> fractionBits, fraction = x - (entry << fractionBits);
  Vector next = __builtin_elementwise_min(
      entry + 1, Vector{} + int32_t((1u << log2Size) - 1));
  Vector high;
  gatherStrip(table, entry, y);
  gatherStrip(table, next, high);
  // Differences have 17 bits, fractions up to 15.
  high -= y;
  Widened<Vector> more;
  multiplyLanes(high, fraction, more);
  more >>= fractionBits;
  y += __builtin_convertvector(more, Vector);
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_SEQUENCE_CELLLANES_H
