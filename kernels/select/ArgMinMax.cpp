//===- ArgMinMax.cpp - Where the greatest or least value is ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/FloatStrips.h"
#include "kernels/select/Select.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// Calls fn(T()) with what values of \p type are compared as.
template <typename Fn> void withOrdered(DType type, Fn fn) {
  if (isFloatType(type))
    fn(float());
  else if (type == DType::I32)
    fn(int32_t());
  else if (type == DType::U32)
    fn(uint32_t());
  else
    withSmallInt(type, fn);
}

/// x = src[index], src[index + stride], ...; lanes beyond the end have the last
/// value, or 0.
template <typename T, typename Size>
void loadValues(DType type, const void *src, int64_t index, int32_t stride,
                Size size, Strip<T> &x) {
  if constexpr (!__is_same(T, float)) {
    loadStrided<T>(src, index, stride, size, x);
  } else if (stride == 1) {
    loadFloats(type, src, index, size, x);
  } else {
    auto last = Strip<int32_t>{} + int32_t(size.count - 1);
    gatherFloats(type, src, index,
                 __builtin_elementwise_min(kLanes, last) * stride, x);
  }
}

/// Lanes where x wins over the best so far; a NaN wins over every number.
template <typename Vector, typename Mask>
void compare(const ArgMinMaxParams &p, const Vector &x, const Vector &best,
             Mask &isBetter) {
  isBetter = p.least ? x < best : x > best;
  isBetter |= (x != x) & (best == best);
}

/// The axis is read from the end that wins among equals, so that only a better
/// value replaces what was found.
uint32_t scanned(const ArgMinMaxParams &p, uint32_t step) {
  return p.last ? p.axis - 1 - step : step;
}

/// Of `size` outputs side by side, whose first value is `first` and whose next
/// ones are `stride` apart.
template <typename T, typename Size>
void searchColumns(const ArgMinMaxParams &p, const void *input, int64_t first,
                   int32_t stride, Size size, Strip<int32_t> &found) {
  Strip<T> x, best;
  loadValues<T>(p.inType, input, first + int64_t(scanned(p, 0)) * p.inner,
                stride, size, best);
  found = Strip<int32_t>{} + int32_t(scanned(p, 0));
  for (uint32_t step = 1; step < p.axis; ++step) {
    uint32_t at = scanned(p, step);
    loadValues<T>(p.inType, input, first + int64_t(at) * p.inner, stride, size,
                  x);
    decltype(x == best) isBetter;
    compare(p, x, best, isBetter);
    best = isBetter ? x : best;
    found = __builtin_convertvector(isBetter, Strip<int32_t>)
                ? Strip<int32_t>{} + int32_t(at)
                : found;
  }
}

/// In a row of neighbours, at least a strip of them: what the best value is,
/// then where it is.
template <typename T>
int32_t searchRow(const ArgMinMaxParams &p, const void *input, int64_t first) {
  auto load = [&](uint32_t at, Strip<T> &x) {
    loadValues<T>(p.inType, input, first + at, 1, WholeStrip(), x);
  };
  // The last strip begins in the one before: what is seen twice, or before its
  // time, changes nothing.
  uint32_t last = p.axis - kStrip;
  Strip<T> x, best;
  decltype(x == best) isBetter;
  load(last, best);
  for (uint32_t i = 0; i < last; i += kStrip) {
    load(i, x);
    compare(p, x, best, isBetter);
    best = isBetter ? x : best;
  }
  T top = p.least ? __builtin_reduce_min(best) : __builtin_reduce_max(best);
  bool hasNaN = lanesWhere(best != best);
  for (uint32_t i = 0;; i += kStrip) {
    uint32_t done = i < last ? i : last;
    uint32_t at = p.last ? last - done : done;
    load(at, x);
    if (uint32_t lanes = lanesWhere(hasNaN ? x != x : x == top))
      return int32_t(at) +
             (p.last ? 31 - __builtin_clz(lanes) : __builtin_ctz(lanes));
  }
}

template <typename Buffers>
void storeFound(const ArgMinMaxParams &p, int32_t *found, uint32_t n,
                uint32_t out, const Buffers &buffers) {
  for (uint32_t i = 0; i < n; ++i)
    found[i] = found[i] < p.most ? found[i] : p.most;
  storeI32(p.outType, buffers.output(), out, n, found);
}

/// Outputs of rows of neighbours, one row after the other.
template <typename T, typename Buffers>
void searchRows(const ArgMinMaxParams &p, Share share, const Buffers &buffers) {
  forEachChunk(share.begin, share.end, [&](uint32_t out, uint32_t n) {
    int32_t found[kChunk];
    for (uint32_t i = 0; i < n; ++i)
      found[i] = searchRow<T>(p, buffers.input(), int64_t(out + i) * p.axis);
    storeFound(p, found, n, out, buffers);
  });
}

/// Outputs [out, out + n), those of one row of inner elements or, where inner
/// is 1, of short rows of neighbours.
template <typename T, typename Buffers>
void searchRun(const ArgMinMaxParams &p, uint32_t out, uint32_t n,
               const Buffers &buffers) {
  int32_t stride = p.inner == 1 ? int32_t(p.axis) : 1;
  int64_t first = int64_t(out / p.inner) * p.axis * p.inner + out % p.inner;
  forEachStrip(0, n, [&](uint32_t i, auto size) {
    Strip<int32_t> strip;
    searchColumns<T>(p, buffers.input(), first + int64_t(i) * stride, stride,
                     size, strip);
    int32_t found[kStrip];
    storeStrip<int32_t>(strip, WholeStrip(), found, 0);
    storeFound(p, found, size.count, out + i, buffers);
  });
}

} // namespace

YARROW_KERNEL(yk_arg_min_max, ArgMinMax) {
  Share share = shareOf(p.outer * p.inner, task, taskCount);
  withOrdered(p.inType, [&](auto zero) {
    using T = decltype(zero);
    if (p.inner == 1 && p.axis >= kStrip)
      return searchRows<T>(p, share, buffers);
    if (p.inner == 1)
      return searchRun<T>(p, share.begin, share.end - share.begin, buffers);
    for (uint32_t out = share.begin, n; out < share.end; out += n) {
      n = p.inner - out % p.inner;
      n = n < share.end - out ? n : share.end - out;
      searchRun<T>(p, out, n, buffers);
    }
  });
}
