//===- Resize.cpp - Image resize kernels ----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/image/Resize.h"
#include "kernels/Epilogue.h"
#include "kernels/FloatStrips.h"
#include "kernels/Math.h"
#include "kernels/StripRequant.h"
#include "kernels/WideKernel.h"
#include "kernels/image/ResizeColumns.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// The pixels within 1 / ratio of a place, one direction of antialiasing.
class Triangle {
public:
  Triangle(const ResizeAxis &axis, uint32_t i, bool excludeOutside)
      : length(axis.in), excludes(excludeOutside), place(coordinate(axis, i)) {
    double ratio = axis.ratio();
    slope = ratio < 1.0 ? ratio : 1.0;
    // A pixel at exactly 1 / slope has no weight.
    first = int32_t(math::ceil(place - 1.0 / slope));
    last = int32_t(math::floor(place + 1.0 / slope));
    double sum = 0;
    for (int32_t j = first; j <= last; ++j)
      sum += share(j);
    scale = sum > 0 ? 1.0 / sum : 0.0;
  }
  double weight(int32_t j) const { return share(j) * scale; }
  uint32_t pixel(int32_t j) const {
    return uint32_t(clamp<int32_t>(j, 0, int32_t(length) - 1));
  }

  int32_t first, last;

private:
  double share(int32_t j) const {
    bool isOutside = j < 0 || j >= int32_t(length);
    double v = 1.0 - math::abs(double(j) - place) * slope;
    return v < 0 || (isOutside && excludes) ? 0.0 : v;
  }

  uint32_t length;
  bool excludes;
  double place, slope, scale;
};

/// Output columns whose places are found at once, for all of a task's rows.
constexpr uint32_t kColumns = 32;

/// Calls fn(first column, how many) for all columns, in groups.
template <typename Fn> void forEachColumns(const ResizeShape &s, Fn fn) {
  for (uint32_t x = 0; x < s.outW; x += kColumns)
    fn(x, s.outW - x < kColumns ? s.outW - x : kColumns);
}

// The three ways to make output pixels of rows: they call fn(out, taps), where
// taps(term) calls term(first element of a pixel, toWeight(its weight)) for
// each that takes part.

template <typename ToWeight, typename Fn>
void forEachNearest(const ResizeShape &s, Share rows, ToWeight toWeight,
                    Fn fn) {
  ResizeAxis vertical = rowsOf(s), horizontal = columnsOf(s);
  forEachColumns(s, [&](uint32_t first, uint32_t n) {
    uint32_t column[kColumns];
    for (uint32_t i = 0; i < n; ++i)
      column[i] = nearest(s.nearestMode, coordinate(horizontal, first + i),
                          horizontal) *
                  s.channels;
    for (uint32_t row = rows.begin; row < rows.end; ++row) {
      uint32_t y =
          nearest(s.nearestMode, coordinate(vertical, row % s.outH), vertical);
      int64_t element = rowElement(s, row, y);
      for (uint32_t i = 0; i < n; ++i)
        fn(row * s.outW + first + i,
           [&](auto term) { term(element + column[i], toWeight(1.0)); });
    }
  });
}

template <typename ToWeight, typename Fn>
void forEachBilinear(const ResizeShape &s, Share rows, ToWeight toWeight,
                     Fn fn) {
  ResizeAxis vertical = rowsOf(s), horizontal = columnsOf(s);
  forEachColumns(s, [&](uint32_t first, uint32_t n) {
    uint32_t column[2][kColumns];
    double fraction[kColumns];
    for (uint32_t i = 0; i < n; ++i) {
      Between h = between(coordinate(horizontal, first + i), s.inW);
      column[0][i] = h.low * s.channels;
      column[1][i] = h.high * s.channels;
      fraction[i] = h.fraction;
    }
    for (uint32_t row = rows.begin; row < rows.end; ++row) {
      Between v = between(coordinate(vertical, row % s.outH), s.inH);
      int64_t element[2] = {rowElement(s, row, v.low),
                            rowElement(s, row, v.high)};
      decltype(toWeight(1.0)) weight[4][kColumns];
      for (uint32_t k = 0; k < 4; ++k)
        for (uint32_t i = 0; i < n; ++i) {
          double wy = k & 2 ? v.fraction : 1 - v.fraction;
          double wx = k & 1 ? fraction[i] : 1 - fraction[i];
          weight[k][i] = toWeight(wy * wx);
        }
      for (uint32_t i = 0; i < n; ++i)
        fn(row * s.outW + first + i, [&](auto term) {
          for (uint32_t k = 0; k < 4; ++k)
            term(element[k >> 1] + column[k & 1][i], weight[k][i]);
        });
    }
  });
}

template <typename ToWeight, typename Fn>
void forEachAntialiased(const ResizeShape &s, Share rows, ToWeight toWeight,
                        Fn fn) {
  for (uint32_t row = rows.begin; row < rows.end; ++row) {
    Triangle v(rowsOf(s), row % s.outH, s.excludeOutside);
    for (uint32_t x = 0; x < s.outW; ++x) {
      Triangle h(columnsOf(s), x, s.excludeOutside);
      fn(row * s.outW + x, [&](auto term) {
        for (int32_t j = v.first; j <= v.last; ++j)
          for (int32_t i = h.first; i <= h.last; ++i)
            term(rowElement(s, row, v.pixel(j)) +
                     int64_t(h.pixel(i)) * s.channels,
                 toWeight(v.weight(j) * h.weight(i)));
      });
    }
  }
}

template <typename ToWeight, typename Fn>
void forEachPixel(const ResizeShape &s, uint32_t task, uint32_t taskCount,
                  ToWeight toWeight, Fn fn) {
  Share rows = shareOf(s.batch * s.outH, task, taskCount);
  if (s.method == ResizeMethod::Nearest)
    forEachNearest(s, rows, toWeight, fn);
  else if (s.antialias)
    forEachAntialiased(s, rows, toWeight, fn);
  else
    forEachBilinear(s, rows, toWeight, fn);
}

/// Copies, and means of four pixels in 32 bits. Of the lengths' own ratio, no
/// place is more than half a pixel in front of the first or a pixel past
/// another: magnitudes of weights are at most 4 * 2^weightShift together, and
/// where one is negative, two are of the same pixel.
bool areStripPixels(const ResizeIntParams &p) {
  const ResizeShape &s = p.shape;
  if (!isSmallInt(p.inType) || !isSmallInt(p.outType))
    return false;
  int32_t bits = isByte(p.inType) ? 8 : p.inType == DType::I16 ? 15 : 16;
  return s.method == ResizeMethod::Nearest ||
         (!s.antialias && s.ratioH == 0 && s.ratioW == 0 &&
          bits + p.weightShift + 2 <= 30);
}

/// Whether pixels have so few channels that columns are strips.
bool areColumns(const ResizeShape &s) {
  return s.channels <= kFewChannels &&
         (s.method == ResizeMethod::Nearest || !s.antialias) &&
         uint64_t(s.inW) * s.channels < 1u << 30;
}

} // namespace

YARROW_WIDE_KERNEL(yk_resize_int, ResizeInt) {
  const ResizeShape &s = p.shape;
  // A copied pixel has no weight that would be rounded.
  int32_t shift = s.method == ResizeMethod::Nearest ? 0 : p.weightShift;
  double one = double(1 << shift);
  auto toWeight = [&](double weight) { return integerWeight(weight, one); };
  if (areStripPixels(p)) {
    // A mean times 2^weightShift, and what the four weights were rounded by.
    StripRequant requant(1, shift, 0, p.lo, p.hi, int64_t(1) << 29);
    withSmallInt(p.inType, [&](auto zero) {
      using In = decltype(zero);
      if (areColumns(s)) {
        auto *input = static_cast<const In *>(buffers.input());
        void *output = buffers.output();
        return resizeColumns(
            s, shareOf(s.batch * s.outH, task, taskCount), IntegerWeights{one},
            [&](int64_t element, const Strip<int32_t> &columns,
                Strip<int32_t> &x) {
              gatherStrip(input + element, columns, x);
            },
            [&](Strip<int32_t> &sum, uint32_t n, int64_t element) {
              requant.apply(sum);
              auto step = int32_t(s.channels);
              if (isByte(p.outType))
                storeStrided<uint8_t>(sum, PartOfStrip{n}, output, element,
                                      step);
              else
                storeStrided<uint16_t>(sum, PartOfStrip{n}, output, element,
                                       step);
            });
      }
      forEachPixel(s, task, taskCount, toWeight, [&](uint32_t out, auto taps) {
        forEachFittingStrip(0, s.channels, [&](uint32_t c, auto size) {
          Fitting<int32_t, decltype(size)> x, acc{};
          taps([&](int64_t element, int32_t weight) {
            loadStrip<decltype(zero)>(buffers.input(), element + c, size, x);
            acc += x * weight;
          });
          requant.apply(acc);
          int64_t to = int64_t(out) * s.channels + c;
          if (isByte(p.outType))
            storeStrip<uint8_t>(acc, size, buffers.output(), to);
          else
            storeStrip<uint16_t>(acc, size, buffers.output(), to);
        });
      });
    });
    return;
  }
  Requant range;
  range.lo = p.lo;
  range.hi = p.hi;
  forEachPixel(s, task, taskCount, toWeight, [&](uint32_t out, auto taps) {
    forEachChunk(0, s.channels, [&](uint32_t i, uint32_t n) {
      int32_t x[kChunk];
      // Weights add up to about 2^16 at most: below 2^48.
      int64_t acc[kChunk] = {};
      taps([&](int64_t element, int64_t weight) {
        loadI32(p.inType, buffers.input(), element + i, n, x);
        for (uint32_t j = 0; j < n; ++j)
          acc[j] += weight * x[j];
      });
      requantizeChunk(acc, n, 1, shift, range, x);
      storeI32(p.outType, buffers.output(), int64_t(out) * s.channels + i, n,
               x);
    });
  });
}

YARROW_WIDE_KERNEL(yk_resize_float, ResizeFloat) {
  const ResizeShape &s = p.shape;
  const void *input = buffers.input();
  void *output = buffers.output();
  auto toWeight = [](double weight) { return float(weight); };
  if (areColumns(s) && contains(kFloats, p.inType))
    return resizeColumns(
        s, shareOf(s.batch * s.outH, task, taskCount), FloatWeights(),
        [&](int64_t element, const Strip<int32_t> &columns, Strip<float> &x) {
          gatherFloats(p.inType, input, element, columns, x);
        },
        [&](const Strip<float> &sum, uint32_t n, int64_t element) {
          if (s.channels == 1)
            return storeFloats(p.outType, sum, PartOfStrip{n}, output, element);
          float y[kStrip];
          storeStrip<float>(sum, WholeStrip(), y, 0);
          storeF32(p.outType, output, element, n, y, s.channels);
        });
  forEachPixel(s, task, taskCount, toWeight, [&](uint32_t out, auto taps) {
    forEachFittingStrip(0, s.channels, [&](uint32_t c, auto size) {
      Fitting<float, decltype(size)> x, acc{};
      taps([&](int64_t element, float weight) {
        loadFloats(p.inType, input, element + c, size, x);
        acc += x * weight;
      });
      storeFloats(p.outType, acc, size, output, int64_t(out) * s.channels + c);
    });
  });
}
