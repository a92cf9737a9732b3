//===- LogSoftmaxColumns.h - LogSoftmax of 32 rows at once ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Sums and logarithms of rows that are lanes (SoftmaxLanes.h).
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_NORM_LOGSOFTMAXCOLUMNS_H
#define YARROW_KERNELS_NORM_LOGSOFTMAXCOLUMNS_H

#include "kernels/LaneSum.h"
#include "kernels/Math.h"
#include "kernels/StripRequant.h"
#include "kernels/norm/Softmax.h"
#include "kernels/norm/SoftmaxLanes.h"

namespace yarrow::kernels {

/// Of integers of 8 and 16 bits, whose results are limited to what roundStrip
/// takes.
class LogSoftmaxColumns {
public:
  LogSoftmaxColumns(const LogSoftmaxIntParams &p, const void *input,
                    const float *table, void *output)
      : p(p), input(input), table(table), output(output),
        isPlain(p.log2Size == p.inBits && areFinite()) {}

  static bool takes(const LogSoftmaxIntParams &p) {
    constexpr int32_t kMost = 1 << 21;
    return isSmallInt(p.inType) && isSmallInt(p.outType) && p.inBits <= 16 &&
           p.log2Size <= p.inBits && p.zp >= -kMost && p.zp <= kMost;
  }

  template <typename Size>
  void apply(const RowsAsLanes &rows, Size size) const {
    withSmallInt(p.inType,
                 [&](auto zero) { applyTo<decltype(zero)>(rows, size); });
  }

private:
  /// Whether no step of the table is infinite, so that a fraction of 0 can be
  /// left out.
  bool areFinite() const {
    constexpr float kMost = 0x1p126f;
    uint32_t count = 0;
    forEachStrip(0, 1u << p.log2Size, [&](uint32_t i, auto size) {
      Strip<float> x;
      loadStrip<float>(table, i, size, x);
      count |= lanesWhere(!(__builtin_elementwise_abs(x) < kMost));
    });
    return count == 0;
  }

  /// Exponentials by an index within the table's inBits.
  void lookUp(const Strip<int32_t> &index, Strip<float> &e) const {
    if (isPlain)
      return gatherStrip(table, index, e);
    auto fractionBits = int32_t(p.inBits - p.log2Size);
    float unit = 1.0f / float(1u << fractionBits);
    auto last = Strip<int32_t>{} + int32_t((1u << p.log2Size) - 1);
    Strip<int32_t> entry = index >> fractionBits;
    Strip<float> next;
    gatherStrip(table, entry, e);
    gatherStrip(table, __builtin_elementwise_min(entry + 1, last), next);
    auto fraction =
        __builtin_convertvector(index - (entry << fractionBits), Strip<float>);
    e += (next - e) * fraction * unit;
  }

  template <typename T, typename Size>
  void applyTo(const RowsAsLanes &rows, Size size) const {
    uint32_t axis = p.shape.axis;
    auto load = [&](uint32_t j, Strip<int32_t> &x) {
      loadStrided<T>(input, rows.placeOf(j), rows.stride, size, x);
    };
    Strip<int32_t> top;
    greatestOfLanes<T>(input, rows, axis, size, top);
    Strip<int32_t> x, beforeTable = top - int32_t((1u << p.inBits) - 1);
    // In the order of LaneSum.
    Strip<double> total{};
    for (uint32_t lane = 0; lane < LaneSum::kWidth; ++lane) {
      Strip<double> sum{};
      for (uint32_t j = lane; j < axis; j += LaneSum::kWidth) {
        Strip<float> e;
        load(j, x);
        lookUp(x - beforeTable, e);
        sum += __builtin_convertvector(e, Strip<double>);
      }
      total += sum;
    }
    double totals[kStrip];
    float logs[kStrip];
    __builtin_memcpy(totals, &total, sizeof(total));
    for (uint32_t i = 0; i < kStrip; ++i)
      logs[i] = float(math::log(totals[i])) * p.outputScale;
    Strip<float> logSum;
    __builtin_memcpy(&logSum, logs, sizeof(logs));
    for (uint32_t j = 0; j < axis; ++j) {
      load(j, x);
      results(x - top, logSum, x);
      int64_t to = rows.placeOf(j);
      if (isByte(p.outType))
        storeStrided<uint8_t>(x, size, output, to, rows.stride);
      else
        storeStrided<uint16_t>(x, size, output, to, rows.stride);
    }
  }

  void results(const Strip<int32_t> &differences, const Strip<float> &logSum,
               Strip<int32_t> &x) const {
    float lo = float(p.lo + p.zp), hi = float(p.hi + p.zp);
    auto y = __builtin_convertvector(differences, Strip<float>);
    y = y * p.inputScale - logSum;
    // The limits are integers, so that it does not matter which comes first. A
    // table of no exponentials may make a NaN, which becomes the least.
    y = __builtin_elementwise_max(y, Strip<float>{} + lo);
    y = __builtin_elementwise_min(y, Strip<float>{} + hi);
    roundStrip(y, x);
    x -= p.zp;
  }

  const LogSoftmaxIntParams &p;
  const void *input;
  const float *table;
  void *output;
  bool isPlain;
};

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_NORM_LOGSOFTMAXCOLUMNS_H
