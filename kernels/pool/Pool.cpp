//===- Pool.cpp - Pooling kernels -----------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/pool/Pool.h"
#include "kernels/Epilogue.h"
#include "kernels/FloatStrips.h"
#include "kernels/Numeric.h"
#include "kernels/StripRequant.h"
#include "kernels/WideKernel.h"
#include "kernels/pool/PoolCells.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

uint32_t divisorOf(const PoolShape &s, uint32_t cells) {
  if (s.countIncludePad)
    return s.kernelH * s.kernelW;
  return cells ? cells : 1;
}

int32_t lowestOf(DType type) {
  return type == DType::I8 ? -128 : type == DType::I16 ? -32768 : 0;
}

/// The greatest integers, T, of windows.
template <typename T>
void maximumInStrips(const PoolIntParams &p, const void *input, void *output,
                     uint32_t task, uint32_t taskCount) {
  const PoolShape &s = p.shape;
  forEachWindow(s, task, taskCount, [&](const auto &w, Share channels) {
    forEachStrip(channels.begin, channels.end, [&](uint32_t c, auto size) {
      Strip<T> x, best = Strip<T>{} + T(lowestOf(p.inType));
      forEachCellOf(s, w, [&](int64_t cell) {
        loadStrip<T>(input, cell + c, size, x);
        best = __builtin_elementwise_max(best, x);
      });
      storeStrip<T>(best, size, output, int64_t(w.out) * s.channels + c);
    });
  });
}

/// The scales of averages, worked out anew where the number of cells differs
/// from that of the window before.
class AverageScales {
public:
  explicit AverageScales(const PoolIntParams &p)
      : p(p), whole(scaleOf(p.shape.kernelH * p.shape.kernelW)) {}

  ScaleShift operator()(uint32_t cells) {
    if (cells == p.shape.kernelH * p.shape.kernelW || p.shape.countIncludePad)
      return whole;
    if (cells != lastCells) {
      last = scaleOf(cells);
      lastCells = cells;
    }
    return last;
  }

private:
  ScaleShift scaleOf(uint32_t cells) const {
    return averageScale(p.scaleRatio, divisorOf(p.shape, cells));
  }

  const PoolIntParams &p;
  ScaleShift whole, last;
  uint32_t lastCells = UINT32_MAX;
};

/// The bits that a cell without its zero point has at most.
int32_t cellBits(const PoolIntParams &p) { return isByte(p.inType) ? 9 : 17; }

/// Integers whose sums fit 32 bits. A ratio below 255 is not scaled up.
bool areStripAverages(const PoolIntParams &p) {
  int32_t mostZp = 1 << (cellBits(p) - 1);
  return isSmallInt(p.inType) && isSmallInt(p.outType) && p.inZp >= -mostZp &&
         p.inZp <= mostZp &&
         p.shape.kernelH * p.shape.kernelW <= 1u << (30 - cellBits(p)) &&
         p.scaleRatio > 0 && p.scaleRatio < 254;
}

/// The sums of a strip of channels, of integers T that fit Sum.
template <typename T, typename Sum, typename Window, typename Size>
inline Strip<int32_t> sumOfCells(const PoolShape &s, const Window &w,
                                 uint32_t c, Size size, const void *input) {
  Strip<Sum> x, sum{};
  forEachCellOf(s, w, [&](int64_t cell) {
    loadStrip<T>(input, cell + c, size, x);
    sum += x;
  });
  return __builtin_convertvector(sum, Strip<int32_t>);
}

/// Averages of integers, T, whose sums without zero points fit Sum.
template <typename T, typename Sum>
void averageInStrips(const PoolIntParams &p, const void *input, void *output,
                     uint32_t task, uint32_t taskCount) {
  const PoolShape &s = p.shape;
  AverageScales scales(p);
  // Times a scale of 8 bits.
  bool isSmall = s.kernelH * s.kernelW << cellBits(p) <= 1 << 21;
  forEachWindow(s, task, taskCount, [&](const auto &w, Share channels) {
    ScaleShift scale = scales(cellCount(s, w));
    StripRequant requant(scale.scale, scale.shift, p.zp, p.lo, p.hi,
                         int64_t(1) << 30);
    forEachStrip(channels.begin, channels.end, [&](uint32_t c, auto size) {
      Strip<int32_t> y = sumOfCells<T, Sum>(s, w, c, size, input);
      y += int32_t(cellCount(s, w)) * p.inZp;
      if (isSmall)
        requant.applySmall(y);
      else
        requant.apply(y);
      int64_t to = int64_t(w.out) * s.channels + c;
      if (isByte(p.outType))
        storeStrip<uint8_t>(y, size, output, to);
      else
        storeStrip<uint16_t>(y, size, output, to);
    });
  });
}

/// Sums of stored integers divided by how many they are, ties away from 0.
/// Magnitudes are below 2^30, the divisor's half included.
void divideStrip(Strip<int32_t> &sum, int32_t cells) {
  Strip<int32_t> sign = sum >> 31; // 0 or -1
  Strip<int32_t> magnitude = ((sum ^ sign) - sign + cells / 2) / cells;
  sum = (magnitude ^ sign) - sign;
}

/// The same of any sums, limited.
void divideSums(const PoolIntParams &p, const int64_t *sum, uint32_t n,
                int64_t cells, int32_t *y) {
  for (uint32_t i = 0; i < n; ++i) {
    int64_t half = sum[i] < 0 ? -(cells / 2) : cells / 2;
    y[i] = int32_t(clamp<int64_t>((sum[i] + half) / cells, p.lo, p.hi));
  }
}

/// As averageInStrips.
template <typename T, typename Sum>
void meanInStrips(const PoolIntParams &p, const void *input, void *output,
                  uint32_t task, uint32_t taskCount) {
  const PoolShape &s = p.shape;
  forEachWindow(s, task, taskCount, [&](const auto &w, Share channels) {
    auto cells = int32_t(divisorOf(s, cellCount(s, w)));
    forEachStrip(channels.begin, channels.end, [&](uint32_t c, auto size) {
      Strip<int32_t> y = sumOfCells<T, Sum>(s, w, c, size, input);
      divideStrip(y, cells);
      limitStrip(y, 0, p.lo, p.hi);
      storeStrip<T>(y, size, output, int64_t(w.out) * s.channels + c);
    });
  });
}

/// One more cell, of a method. A NaN stays the maximum.
template <typename Vector>
void addCell(PoolMethod method, const Vector &x, Vector &y) {
  switch (method) {
  case PoolMethod::Max:
    y = ((y > x) | (y != y)) ? y : x;
    break;
  case PoolMethod::L1:
    y += __builtin_elementwise_abs(x);
    break;
  case PoolMethod::L2:
    y += x * x;
    break;
  case PoolMethod::Avg:
    y += x;
    break;
  }
}

} // namespace

YARROW_WIDE_KERNEL(yk_pool_int, PoolInt) {
  const PoolShape &s = p.shape;
  bool isMaximum = s.method == PoolMethod::Max;
  if (isMaximum && isSmallInt(p.inType) &&
      dtypeBytes(p.inType) == dtypeBytes(p.outType))
    return withSmallInt(p.inType, [&](auto zero) {
      maximumInStrips<decltype(zero)>(p, buffers.input(), buffers.output(),
                                      task, taskCount);
    });
  if (!isMaximum && areStripAverages(p))
    return withSmallInt(p.inType, [&](auto zero) {
      using T = decltype(zero);
      auto average = [&](auto sum) {
        using Sum = decltype(sum);
        if (p.isHalfAway)
          meanInStrips<T, Sum>(p, buffers.input(), buffers.output(), task,
                               taskCount);
        else
          averageInStrips<T, Sum>(p, buffers.input(), buffers.output(), task,
                                  taskCount);
      };
      // 128 bytes add up to 15 bits.
      if (sizeof(T) == 1 && s.kernelH * s.kernelW <= 128)
        average(int16_t());
      else
        average(int32_t());
    });
  Requant r;
  r.outType = p.outType;
  r.zp = p.zp;
  r.lo = p.lo;
  r.hi = p.hi;
  auto maximum = [&](uint32_t out, uint32_t c, uint32_t n) {
    int32_t x[kChunk], best[kChunk];
    for (uint32_t i = 0; i < n; ++i)
      best[i] = lowestOf(p.inType);
    forEachCell(s, out, [&](int64_t cell) {
      loadI32(p.inType, buffers.input(), cell + c, n, x);
      for (uint32_t i = 0; i < n; ++i)
        best[i] = best[i] > x[i] ? best[i] : x[i];
    });
    storeI32(p.outType, buffers.output(), int64_t(out) * s.channels + c, n,
             best);
  };
  auto average = [&](uint32_t out, uint32_t c, uint32_t n) {
    int32_t x[kChunk];
    int64_t sum[kChunk] = {};
    uint32_t cells = forEachCell(s, out, [&](int64_t cell) {
      loadI32(p.inType, buffers.input(), cell + c, n, x);
      for (uint32_t i = 0; i < n; ++i)
        sum[i] += x[i] + (p.isHalfAway ? 0 : p.inZp);
    });
    if (p.isHalfAway) {
      divideSums(p, sum, n, divisorOf(s, cells), x);
      return storeI32(p.outType, buffers.output(),
                      int64_t(out) * s.channels + c, n, x);
    }
    ScaleShift scale = averageScale(p.scaleRatio, divisorOf(s, cells));
    requantizeChunk(sum, n, scale.scale, scale.shift, r, x);
    storeI32(p.outType, buffers.output(), int64_t(out) * s.channels + c, n, x);
  };
  if (isMaximum)
    forEachChannelChunk(s, task, taskCount, maximum);
  else
    forEachChannelChunk(s, task, taskCount, average);
}

YARROW_WIDE_KERNEL(yk_pool_float, PoolFloat) {
  const PoolShape &s = p.shape;
  const void *input = buffers.input();
  void *output = buffers.output();
  float start = s.method == PoolMethod::Max ? -__builtin_huge_valf() : 0.0f;
  forEachWindow(s, task, taskCount, [&](const auto &w, Share channels) {
    float divisor = float(divisorOf(s, cellCount(s, w)));
    forEachFittingStrip(channels.begin, channels.end,
                        [&](uint32_t c, auto size) {
                          Fitting<float, decltype(size)> x, y;
                          fillFloats(start, y);
                          forEachCellOf(s, w, [&](int64_t cell) {
                            loadFloats(p.inType, input, cell + c, size, x);
                            addCell(s.method, x, y);
                          });
                          if (s.method == PoolMethod::Avg)
                            y /= divisor;
                          if (s.method == PoolMethod::L2)
                            y = __builtin_elementwise_sqrt(y);
                          storeFloats(p.outType, y, size, output,
                                      int64_t(w.out) * s.channels + c);
                        });
  });
}
