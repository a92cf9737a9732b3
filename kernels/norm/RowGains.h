//===- RowGains.h - What several rows are normalised with -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// From the sums of values and of their squares to mean and gain, of several
// groups of bytes at once: each is a lane (RowMoments.h).
//
//   RowGains rows;
//   if (!gainsOfLanes(p, table, length, sums, squares, rows)) ... one by one
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_NORM_ROWGAINS_H
#define YARROW_KERNELS_NORM_ROWGAINS_H

#include "kernels/norm/InverseSqrt.h"
#include "kernels/norm/LayerNorm.h"
#include "kernels/norm/RowMoments.h"

namespace yarrow::kernels {

/// Some rows, and what they are normalised with.
struct RowGains {
  uint32_t first = 0; // element
  uint32_t count = 0;
  int32_t means[kRowLanes];
  uint32_t gains[kRowLanes]; // of 16 bits
};

/// Whether gainsOfLanes takes groups of so many values: with their zero point
/// they have at most 9 bits, and the squares of a group 31, those of 8 bits
/// even of twice as many.
inline bool areLanes(const LayerNormIntParams &p, uint32_t terms) {
  bool isRootKnown =
      p.form == NormForm::Narrow ||
      (p.form == NormForm::RootMeanSquare && p.inZp >= -255 && p.inZp <= 255 &&
       p.normScale >= 0 && p.normScale <= UINT16_MAX && p.normShift >= 0 &&
       p.normShift <= 40);
  uint32_t most = p.form == NormForm::Narrow ? 2 * kMomentsRow : kMomentsRow;
  return isRootKnown && terms <= most && isByte(p.inType) &&
         p.epsilonHigh == 0 && p.epsilonLow <= 1u << 30;
}

/// The gains of rows without a mean.
inline bool rootsOfLanes(const LayerNormIntParams &p, const int16_t *table,
                         uint32_t length, const RowLanes<int32_t> &sum,
                         const RowLanes<uint32_t> &found, RowGains &rows) {
  // S (x + o)^2 = S x^2 + 2 o S x + n o^2: terms may wrap.
  int32_t offset = p.inZp, count = int32_t(length);
  RowLanes<uint32_t> squares = found;
  squares += __builtin_convertvector(2 * offset * sum + count * offset * offset,
                                     RowLanes<uint32_t>);
  squares += p.epsilonLow; // below 2^32
  // A quotient of 32 bits is not rounded up to the next whole number.
  auto mean =
      __builtin_convertvector(squares, RowLanes<double>) / double(count);
  RowLanes<int64_t> gain;
  inverseSqrtLanes(__builtin_convertvector(mean, RowLanes<uint32_t>), table,
                   gain);
  gain = ((gain + 32768) >> 16) * p.normScale;
  int64_t odd = p.normShift > 0;
  int64_t half = ((int64_t(1) << p.normShift) >> 1) - odd;
  gain = (gain + half + ((gain >> p.normShift) & odd)) >> p.normShift;
  gain = __builtin_elementwise_max(gain, RowLanes<int64_t>{});
  gain = __builtin_elementwise_min(gain, RowLanes<int64_t>{} + 65535);
  storeLanes(__builtin_convertvector(gain, RowLanes<uint32_t>), rows.gains);
  for (int32_t &each : rows.means)
    each = -p.inZp;
  return true;
}

/// Means and gains of areLanes, of the sums of `length` values and of their
/// squares. False if a gain has more than 16 bits, as no usual table's.
inline bool gainsOfLanes(const LayerNormIntParams &p, const int16_t *table,
                         uint32_t length, const RowLanes<int32_t> &sum,
                         const RowLanes<uint32_t> &squares, RowGains &rows) {
  if (p.form == NormForm::RootMeanSquare)
    return rootsOfLanes(p, table, length, sum, squares, rows);
  RowLanes<int32_t> mean;
  RowLanes<uint32_t> variance = squares;
  roundedMeans(sum, length, mean);
  // The sum of (x - mean)^2 has at most 31 bits: its terms may wrap.
  variance -= __builtin_convertvector(mean, RowLanes<uint32_t>) *
              __builtin_convertvector(2 * sum - int32_t(length) * mean,
                                      RowLanes<uint32_t>);
  auto isEqual = variance == 0u; // all values of a row, or no row
  // Together below 2^32; in 16 terms and fewer, which are not shifted, 2^31.
  variance += p.epsilonLow;
  if (p.varShift > 0)
    variance >>= uint32_t(p.varShift < 31 ? p.varShift : 31);
  RowLanes<int64_t> gain;
  inverseSqrtLanes(variance, table, gain);
  gain = (gain + 32768) >> 16;
  gain = __builtin_convertvector(isEqual, RowLanes<int64_t>) ? 0 : gain;
  uint64_t most =
      __builtin_reduce_max(__builtin_convertvector(gain, RowLanes<uint64_t>));
  auto words = __builtin_convertvector(gain, RowLanes<uint32_t>);
  storeLanes(words, rows.gains);
  storeLanes(mean, rows.means);
  return most <= UINT16_MAX;
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_NORM_ROWGAINS_H
