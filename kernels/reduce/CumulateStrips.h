//===- CumulateStrips.h - Running sums in registers -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The forms of yk_cumulate_sum_int and yk_cumulate_float in strips (Strips.h).
// Lines are lanes, side by side or a row apart, and a step adds one element of
// each. A row of integers is added up within a strip, since their sums are the
// same in any order:
//
//   x0 x1 x2 x3 ...  + 0 x0 x1 x2 ...  + those from two lanes before, ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_REDUCE_CUMULATESTRIPS_H
#define YARROW_KERNELS_REDUCE_CUMULATESTRIPS_H

#include "kernels/FloatStrips.h"
#include "kernels/StripRequant.h"
#include "kernels/reduce/Cumulate.h"

namespace yarrow::kernels {

/// Lines that are lanes: of the first one the element at step 0, and how far
/// apart lanes and steps are.
struct LineLanes {
  int64_t first;
  uint32_t count;
  int32_t stride;
  int64_t step;
};

/// Calls fn(lanes) for the lines of a share.
template <typename Fn>
inline void forEachLanes(const CumulateShape &s, uint32_t task,
                         uint32_t taskCount, Fn fn) {
  bool isInner = s.inner >= kStrip / 4 || s.inner >= s.outer;
  uint32_t side = isInner ? s.inner : s.outer;
  uint32_t row = s.length * s.inner;
  int64_t end = s.reverse ? int64_t(row) - s.inner : 0;
  Share share = shareOf(s.outer * s.inner, task, taskCount);
  for (uint32_t line = share.begin, n; line < share.end; line += n) {
    uint32_t at = line % side, other = line / side;
    n = side - at < share.end - line ? side - at : share.end - line;
    uint32_t outer = isInner ? other : at, inner = isInner ? at : other;
    fn(LineLanes{.first = int64_t(outer) * row + inner + end,
                 .count = n,
                 .stride = isInner ? 1 : int32_t(row),
                 .step = s.reverse ? -int64_t(s.inner) : int64_t(s.inner)});
  }
}

/// Calls fn(lane, size) for the strips of lanes, with parts of strips for lanes
/// side by side.
template <typename Fn>
inline void forEachStripOfLanes(const LineLanes &lanes, Fn fn) {
  if (lanes.stride == 1)
    return forEachFittingStrip(0, lanes.count, fn);
  // Of a whole strip LLVM would store the elements that lie apart one by one.
  for (uint32_t lane = 0; lane < lanes.count; lane += kStrip) {
    uint32_t left = lanes.count - lane;
    fn(lane, PartOfStrip{left < kStrip ? left : kStrip});
  }
}

//===--- Integers ---===//

/// The greatest sum of 8 or 16 bits.
inline int64_t mostSum(const CumulateSumIntParams &p) {
  int64_t zp = p.inZp < 0 ? -int64_t(p.inZp) : p.inZp;
  return (int64_t(isByte(p.inType) ? 255 : 65535) + zp) * p.shape.length;
}

inline bool areStripSums(const CumulateSumIntParams &p) {
  const Requant &r = p.requant;
  return isSmallInt(p.inType) && isSmallInt(r.outType) && r.shift >= 0 &&
         r.shift <= 62 && r.rounding != Rounding::Double &&
         mostSum(p) < int64_t(1) << 31;
}

template <typename Size, typename Vector>
inline void storeSmall(DType type, const Vector &y, Size size, void *dst,
                       int64_t index) {
  if (isByte(type))
    storeStrip<uint8_t>(y, size, dst, index);
  else
    storeStrip<uint16_t>(y, size, dst, index);
}

/// Lanes' sums, step by step.
template <typename T>
inline void sumLanes(const CumulateSumIntParams &p, const StripRequant &requant,
                     const LineLanes &lanes, const void *input, void *output) {
  DType outType = p.requant.outType;
  forEachStripOfLanes(lanes, [&](uint32_t lane, auto size) {
    constexpr bool isStrip = decltype(size)::lanes == kStrip;
    Fitting<int32_t, decltype(size)> sum{}, x, y;
    int64_t at = lanes.first + int64_t(lane) * lanes.stride;
    for (uint32_t k = 0; k < p.shape.length; ++k, at += lanes.step) {
      if constexpr (isStrip)
        loadStrided<T>(input, at, lanes.stride, size, x);
      else
        loadStrip<T>(input, at, size, x);
      y = sum;
      sum += x + p.inZp;
      if (!p.shape.exclusive)
        y = sum;
      requant.apply(y);
      if constexpr (isStrip) {
        if (lanes.stride != 1 && isByte(outType))
          storeStrided<uint8_t>(y, size, output, at, lanes.stride);
        else if (lanes.stride != 1)
          storeStrided<uint16_t>(y, size, output, at, lanes.stride);
        else
          storeSmall(outType, y, size, output, at);
      } else {
        storeSmall(outType, y, size, output, at);
      }
    }
  });
}

template <typename T, T... I> struct LaneNumbers {
  /// Each lane with that which lies `Lanes` before it, or behind it.
  template <T Lanes> static void addShifted(bool isBehind, Strip<int32_t> &x) {
    Strip<int32_t> zero{};
    if (isBehind)
      x += __builtin_shufflevector(
          x, zero, (I + Lanes < T(kStrip) ? I + Lanes : T(kStrip))...);
    else
      x += __builtin_shufflevector(x, zero,
                                   (I >= Lanes ? I - Lanes : T(kStrip))...);
  }
};
using StripNumbers = __make_integer_seq<LaneNumbers, int, int(kStrip)>;

/// Every lane with all in front of it, or with all behind it.
inline void addUpStrip(bool isBehind, Strip<int32_t> &x) {
  StripNumbers::addShifted<1>(isBehind, x);
  StripNumbers::addShifted<2>(isBehind, x);
  StripNumbers::addShifted<4>(isBehind, x);
  StripNumbers::addShifted<8>(isBehind, x);
  StripNumbers::addShifted<16>(isBehind, x);
}

/// The steps [begin, end) of a row.
template <typename T>
inline void sumRow(const CumulateSumIntParams &p, const StripRequant &requant,
                   int64_t row, Share steps, const void *input, void *output) {
  const CumulateShape &s = p.shape;
  // In memory, of which a reversed row begins at the end.
  auto placeOf = [&](uint32_t step, uint32_t n) {
    return row + (s.reverse ? s.length - step - n : step);
  };
  int32_t before = sumOfRun<T>(input, placeOf(0, steps.begin), steps.begin) +
                   int32_t(steps.begin) * p.inZp;
  forEachStrip(steps.begin, steps.end, [&](uint32_t step, auto size) {
    int64_t at = placeOf(step, size.count);
    Strip<int32_t> x, sum;
    loadStrip<T>(input, at, size, x);
    x += p.inZp;
    fillBeyond(x, size, 0);
    sum = x;
    addUpStrip(s.reverse, sum);
    int32_t all = s.reverse ? sum[0] : sum[kStrip - 1];
    sum += before;
    before += all;
    if (s.exclusive)
      sum -= x;
    requant.apply(sum);
    storeSmall(p.requant.outType, sum, size, output, at);
  });
}

/// Rows are cut into as many pieces as there are tasks without a row.
template <typename T>
inline void sumStrips(const CumulateSumIntParams &p, const void *input,
                      void *output, uint32_t task, uint32_t taskCount) {
  const CumulateShape &s = p.shape;
  const Requant &r = p.requant;
  StripRequant requant(r.scale, r.shift, r.zp, r.lo, r.hi, mostSum(p),
                       r.rounding);
  if (s.inner != 1 || s.length < kStrip / 2)
    return forEachLanes(s, task, taskCount, [&](const LineLanes &lanes) {
      sumLanes<T>(p, requant, lanes, input, output);
    });
  uint32_t pieces = s.outer < taskCount ? taskCount / s.outer : 1;
  Share share = shareOf(s.outer * pieces, task, taskCount);
  for (uint32_t i = share.begin; i < share.end; ++i)
    sumRow<T>(p, requant, int64_t(i / pieces) * s.length,
              shareOf(s.length, i % pieces, pieces), input, output);
}

//===--- Floats ---===//

/// A line is a chain of sums in double: one or two take no longer one by one.
inline bool areStripLines(const CumulateFloatParams &p, uint32_t taskCount) {
  const CumulateShape &s = p.shape;
  return contains(kFloats, p.inType) &&
         (s.inner >= kStrip / 4 || s.outer * s.inner > 2 * taskCount);
}

inline void cumulateStrips(const CumulateFloatParams &p, const void *input,
                           void *output, uint32_t task, uint32_t taskCount) {
  const CumulateShape &s = p.shape;
  forEachLanes(s, task, taskCount, [&](const LineLanes &lanes) {
    forEachStripOfLanes(lanes, [&](uint32_t lane, auto size) {
      constexpr bool isStrip = decltype(size)::lanes == kStrip;
      using Floats = Fitting<float, decltype(size)>;
      using Doubles = Fitting<double, decltype(size)>;
      Doubles state = Doubles{} + (p.isProduct ? 1.0 : 0.0);
      Floats x;
      int64_t at = lanes.first + int64_t(lane) * lanes.stride;
      for (uint32_t k = 0; k < s.length; ++k, at += lanes.step) {
        if constexpr (isStrip) {
          if (lanes.stride != 1) {
            auto last = Strip<int32_t>{} + int32_t(size.count - 1);
            Strip<int32_t> at32 =
                __builtin_elementwise_min(kLanes, last) * lanes.stride;
            gatherFloats(p.inType, input, at, at32, x);
          } else {
            loadFloats(p.inType, input, at, size, x);
          }
        } else {
          loadFloats(p.inType, input, at, size, x);
        }
        Doubles before = state, v = __builtin_convertvector(x, Doubles);
        state = p.isProduct ? before * v : before + v;
        x = __builtin_convertvector(s.exclusive ? before : state, Floats);
        if (lanes.stride == 1) {
          storeFloats(p.outType, x, size, output, at);
          continue;
        }
        float y[kStrip];
        storeStrip<float>(x, Whole<decltype(size)::lanes>(), y, 0);
        storeF32(p.outType, output, at, size.count, y, lanes.stride);
      }
    });
  });
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_REDUCE_CUMULATESTRIPS_H
