//===- LocalResponse.cpp - Local response normalization -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/norm/LocalResponse.h"
#include "kernels/Epilogue.h"
#include "kernels/Math.h"
#include "kernels/StripRequant.h"
#include "kernels/activation/Lookup.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// The cells of an axis from begin to end.
struct Span {
  uint32_t begin, end;
  uint32_t length() const { return end - begin; }
};

/// `before` and `after` of `at`, as far as they are inside.
Span spanOf(uint32_t at, uint32_t before, uint32_t after, uint32_t length) {
  return {at < before ? 0 : at - before,
          length - at > after ? at + after + 1 : length};
}

/// Where the n channels from `channel` on of one place lie, and the cells that
/// are their neighbours.
struct Place {
  uint32_t y, x, channel, n;
  int64_t image;   // first element of the image
  int64_t element; // first element of the n
};

/// Calls fn(place) for a task's share.
template <typename Fn>
void forEachPlace(const LocalResponseShape &s, uint32_t task,
                  uint32_t taskCount, Fn fn) {
  Share share = shareOf(s.batch * s.height * s.width, task, taskCount);
  for (uint32_t i = share.begin; i < share.end; ++i) {
    uint32_t inImage = i % (s.height * s.width);
    int64_t first = int64_t(i) * s.channels;
    int64_t image = int64_t(i - inImage) * s.channels;
    forEachChunk(0, s.channels, [&](uint32_t c, uint32_t n) {
      fn(Place{inImage / s.width, inImage % s.width, c, n, image, first + c});
    });
  }
}

/// Calls fn(element, lane, n) for all neighbours: those of lanes [lane, lane +
/// n) that lie in one run.
template <typename Fn>
void forEachNeighbour(const LocalResponseShape &s, const Place &at, Fn fn) {
  // An even number has one cell more before, or within channels after.
  uint32_t before = s.withinChannel ? (s.size - 1) / 2 : s.size / 2;
  uint32_t after = s.size - 1 - before;
  if (s.withinChannel) {
    Span rows = spanOf(at.y, before, after, s.height),
         columns = spanOf(at.x, before, after, s.width);
    for (uint32_t y = rows.begin; y < rows.end; ++y)
      for (uint32_t x = columns.begin; x < columns.end; ++x)
        fn(at.image + (int64_t(y) * s.width + x) * s.channels + at.channel, 0,
           at.n);
    return;
  }
  // The lanes whose neighbour at a distance is a channel of the tensor.
  int64_t most = int64_t(s.channels);
  int64_t first = before < most ? -int64_t(before) : -most;
  int64_t last = after < most ? int64_t(after) : most;
  for (int64_t d = first; d <= last; ++d) {
    int64_t begin = int64_t(at.channel) + d, end = begin + at.n;
    int64_t inside = begin < 0 ? 0 : begin;
    end = end < most ? end : most;
    if (inside < end)
      fn(at.element + d + (inside - begin), uint32_t(inside - begin),
         uint32_t(end - inside));
  }
}

/// An even neighbourhood within channels lacks its last row and column.
bool isOutside(const LocalResponseShape &s, const Place &at) {
  return s.withinChannel && s.size % 2 == 0 &&
         (at.y + 1 == s.height || at.x + 1 == s.width);
}

/// sums[0 .. n) = the squares of the neighbourhoods. A square has 18 bits of 8
/// bits and a zero point, and 36 of 16.
template <typename Sum>
void sumSquares(const LocalResponseIntParams &p, const void *input,
                const Place &at, int64_t *sums) {
  Sum acc[kChunk];
  for (uint32_t i = 0; i < at.n; ++i)
    acc[i] = 0;
  if (!isOutside(p.shape, at))
    forEachNeighbour(p.shape, at,
                     [&](int64_t element, uint32_t lane, uint32_t n) {
                       int32_t x[kChunk];
                       loadI32(p.inType, input, element, n, x);
                       for (uint32_t i = 0; i < n; ++i)
                         acc[lane + i] += Sum(x[i] + p.inZp) * (x[i] + p.inZp);
                     });
  for (uint32_t i = 0; i < at.n; ++i)
    sums[i] = acc[i];
}

/// Whether all sums fit 31 bits.
bool hasSmallSums(const LocalResponseIntParams &p) {
  uint32_t most = p.shape.withinChannel ? 64 : 4096; // 2^12 cells
  return dtypeBytes(p.inType) == 1 && p.shape.size <= most;
}

/// How many channels beside a chunk its neighbourhoods may reach.
constexpr uint32_t kSide = 32;

/// Bytes whose sums fit 31 bits; neighbouring channels within kSide.
bool areStrips(const LocalResponseIntParams &p) {
  const Requant &r = p.requant;
  return hasSmallSums(p) && (p.shape.withinChannel || p.shape.size <= kSide) &&
         p.sumShift >= 0 && p.sumShift <= 62 && p.log2TableSize >= 1 &&
         r.shift >= 0 && r.shift <= 62 && contains(kInt8To16, r.outType);
}

/// The squares of a run of bytes.
template <typename Byte, typename Size>
void loadSquares(const LocalResponseIntParams &p, const void *input,
                 int64_t element, Size size, Strip<int32_t> &squares) {
  Strip<int16_t> x;
  loadStrip<Byte>(input, element, size, x);
  x += int16_t(p.inZp);
  squares = __builtin_convertvector(x, Strip<int32_t>);
  squares *= squares;
}

/// The squares of a chunk's channels and of those beside it, 0 where there are
/// none.
template <typename Byte>
void squareChannels(const LocalResponseIntParams &p, const void *input,
                    const Place &at, uint32_t before, uint32_t after,
                    int32_t *squares) {
  Span inside = spanOf(at.channel, before, at.n - 1 + after, p.shape.channels);
  int32_t *begin = squares + (inside.begin + before - at.channel);
  int32_t *end = begin + inside.length();
  for (int32_t *none = squares; none < begin; ++none)
    *none = 0;
  for (int32_t *none = end; none < squares + before + at.n + after; ++none)
    *none = 0;
  int64_t first = at.element - at.channel + inside.begin;
  forEachStrip(0, inside.length(), [&](uint32_t i, auto size) {
    Strip<int32_t> some;
    loadSquares<Byte>(p, input, first + i, size, some);
    storeStrip<int32_t>(some, size, begin, i);
  });
}

/// x = T[x], 0 <= x < 2^16, as lookup does it: differences have 17 bits, a
/// fraction at most 15.
void lookUpStrip(const uint16_t *table, uint32_t log2Size, Strip<int32_t> &x) {
  int32_t last = int32_t((1u << log2Size) - 1);
  uint32_t fractionBits = 16 - log2Size;
  Strip<int32_t> entry = x >> fractionBits, low, next;
  Strip<int32_t> fraction = x - (entry << fractionBits);
  gatherStrip(table, entry, low);
  x = low;
  if (fractionBits == 0)
    return;
  entry = __builtin_elementwise_min(entry + 1, Strip<int32_t>{} + last);
  gatherStrip(table, entry, next);
  x += ((next - low) * fraction) >> fractionBits;
}

template <typename Byte>
void respond(const LocalResponseIntParams &p, LocalResponseIntBuffers buffers,
             const Place &at) {
  const Requant &r = p.requant;
  StripRequant index(p.sumScale, p.sumShift, 0, 0, 65535, INT32_MAX);
  StripRequant requant(r.scale, r.shift, r.zp, r.lo, r.hi, 510 * 65535);
  auto *table = static_cast<const uint16_t *>(buffers.table());
  uint32_t log2Size = p.log2TableSize < 16 ? p.log2TableSize : 16;
  uint32_t before = p.shape.size / 2, after = p.shape.size - 1 - before;
  bool isWithin = p.shape.withinChannel;
  int32_t squares[kChunk + kSide];
  if (!isWithin)
    squareChannels<Byte>(p, buffers.input(), at, before, after, squares);
  forEachStrip(0, at.n, [&](uint32_t i, auto size) {
    Strip<int32_t> x, factor{}, some;
    if (!isWithin)
      for (uint32_t d = 0; d < p.shape.size; ++d) {
        loadStrip<int32_t>(squares, i + d, size, some);
        factor += some;
      }
    else if (!isOutside(p.shape, at))
      forEachNeighbour(p.shape, at, [&](int64_t element, uint32_t, uint32_t) {
        loadSquares<Byte>(p, buffers.input(), element + i, size, some);
        factor += some;
      });
    index.apply(factor);
    lookUpStrip(table, log2Size, factor);
    loadStrip<Byte>(buffers.input(), at.element + i, size, x);
    x = (x + p.inZp) * factor;
    requant.apply(x);
    storeStrip(r.outType, x, size, buffers.output(), at.element + i);
  });
}

} // namespace

YARROW_KERNEL(yk_local_response_int, LocalResponseInt) {
  const LocalResponseShape &s = p.shape;
  if (areStrips(p))
    return withByte(p.inType, [&](auto zero) {
      forEachPlace(s, task, taskCount, [&](const Place &at) {
        respond<decltype(zero)>(p, buffers, at);
      });
    });
  IntEpilogue epilogue(p.requant);
  Requant index;
  index.lo = 0, index.hi = 65535;
  forEachPlace(s, task, taskCount, [&](const Place &at) {
    int64_t sums[kChunk];
    int32_t x[kChunk], factor[kChunk];
    if (hasSmallSums(p))
      sumSquares<int32_t>(p, buffers.input(), at, sums);
    else
      sumSquares<int64_t>(p, buffers.input(), at, sums);
    requantizeChunk(sums, at.n, p.sumScale, p.sumShift, index, factor);
    lookup(factor, at.n, DType::U16, buffers.table(), 16, p.log2TableSize, x);
    loadI32(p.inType, buffers.input(), at.element, at.n, factor);
    for (uint32_t i = 0; i < at.n; ++i)
      sums[i] = int64_t(factor[i] + p.inZp) * x[i];
    epilogue.store(sums, at.n, 0, at.element, buffers.output());
  });
}

YARROW_KERNEL(yk_local_response_float, LocalResponseFloat) {
  const LocalResponseShape &s = p.shape;
  forEachPlace(s, task, taskCount, [&](const Place &at) {
    float sums[kChunk], x[kChunk];
    uint32_t cells = 0;
    for (uint32_t i = 0; i < at.n; ++i)
      sums[i] = 0;
    forEachNeighbour(s, at, [&](int64_t element, uint32_t lane, uint32_t n) {
      loadF32(p.inType, buffers.input(), element, n, x);
      for (uint32_t i = 0; i < n; ++i)
        sums[lane + i] += x[i] * x[i];
      ++cells;
    });
    float share = p.alpha / float(s.withinChannel ? cells : s.size);
    loadF32(p.inType, buffers.input(), at.element, at.n, x);
    for (uint32_t i = 0; i < at.n; ++i) {
      double base = double(p.bias + share * sums[i]);
      x[i] = p.beta == 0.5f ? float(x[i] / math::sqrt(base))
                            : float(x[i] * math::pow(base, -double(p.beta)));
    }
    storeF32(p.outType, buffers.output(), at.element, at.n, x);
  });
}
