//===- ArgMinMax.cpp - Where the greatest or least value is ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/Strips.h"
#include "kernels/select/Select.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// Shorter rows are not worth vectors of their own: a row of 21 took 680
/// cycles.
constexpr uint32_t kShortAxis = 64;

/// The axis is read from the end that wins among equals, so that only a greater
/// key replaces what was found.
uint32_t scanned(const ArgMinMaxParams &p, uint32_t step) {
  return p.last ? p.axis - 1 - step : step;
}

void keepBetter(const int32_t *keys, uint32_t n, int32_t at, int32_t *best,
                int32_t *found) {
  for (uint32_t i = 0; i < n; ++i) {
    found[i] = keys[i] > best[i] ? at : found[i];
    best[i] = keys[i] > best[i] ? keys[i] : best[i];
  }
}

void storeFound(const ArgMinMaxParams &p, int32_t *found, uint32_t n,
                uint32_t out, void *output) {
  for (uint32_t i = 0; i < n; ++i)
    found[i] = found[i] < p.most ? found[i] : p.most;
  storeI32(p.outType, output, out, n, found);
}

/// Outputs [out, out + n), of one row of inner elements or, where inner is 1,
/// of rows of a short axis.
void searchColumns(const ArgMinMaxParams &p, const void *input, uint32_t out,
                   uint32_t n, void *output) {
  int32_t keys[kChunk], best[kChunk], found[kChunk];
  int64_t first = int64_t(out / p.inner) * p.axis * p.inner + out % p.inner;
  int64_t stride = p.inner == 1 ? p.axis : 1;
  for (uint32_t step = 0; step < p.axis; ++step) {
    uint32_t at = scanned(p, step);
    loadKeys(p.inType, input, first + int64_t(at) * p.inner, n, p.least, keys,
             stride);
    if (step == 0)
      for (uint32_t i = 0; i < n; ++i)
        best[i] = keys[i], found[i] = int32_t(at);
    else
      keepBetter(keys, n, int32_t(at), best, found);
  }
  storeFound(p, found, n, out, output);
}

/// The index in a row of `axis` neighbours: lane i looks at every kChunk-th.
int32_t searchRow(const ArgMinMaxParams &p, const void *input, int64_t first) {
  int32_t keys[kChunk], best[kChunk], found[kChunk];
  uint32_t lanes = p.axis < kChunk ? p.axis : kChunk;
  for (uint32_t done = 0; done < p.axis;) {
    uint32_t n = p.axis - done < lanes ? p.axis - done : lanes;
    uint32_t at = p.last ? p.axis - done - n : done;
    loadKeys(p.inType, input, first + at, n, p.least, keys);
    if (done == 0)
      for (uint32_t i = 0; i < n; ++i)
        best[i] = keys[i], found[i] = int32_t(at);
    else
      keepBetter(keys, n, int32_t(at), best, found);
    done += n;
  }
  int32_t top = best[0];
  for (uint32_t i = 1; i < lanes; ++i)
    top = best[i] > top ? best[i] : top;
  // Of the lanes that have it the first or the last, each as one reduction.
  int32_t index = p.last ? -1 : INT32_MAX;
  if (p.last)
    for (uint32_t i = 0; i < lanes; ++i) {
      int32_t at = best[i] == top ? found[i] + int32_t(i) : -1;
      index = at > index ? at : index;
    }
  else
    for (uint32_t i = 0; i < lanes; ++i) {
      int32_t at = best[i] == top ? found[i] + int32_t(i) : INT32_MAX;
      index = at < index ? at : index;
    }
  return index;
}

/// The same of integers T as they are stored, in rows of at least a strip: what
/// the best value is, then where it is.
template <typename T>
int32_t searchStrips(const ArgMinMaxParams &p, const void *input,
                     int64_t first) {
  // The last strip begins in the one before: what is seen twice, or before its
  // time, changes nothing.
  uint32_t last = p.axis - kStrip;
  Strip<T> x, best;
  loadStrip<T>(input, first + last, WholeStrip(), best);
  for (uint32_t i = 0; i < last; i += kStrip) {
    loadStrip<T>(input, first + i, WholeStrip(), x);
    best = p.least ? __builtin_elementwise_min(best, x)
                   : __builtin_elementwise_max(best, x);
  }
  T top = p.least ? __builtin_reduce_min(best) : __builtin_reduce_max(best);
  for (uint32_t i = 0;; i += kStrip) {
    uint32_t done = i < last ? i : last;
    uint32_t at = p.last ? last - done : done;
    loadStrip<T>(input, first + at, WholeStrip(), x);
    if (uint32_t lanes = lanesWhere(x == top))
      return int32_t(at) +
             (p.last ? 31 - __builtin_clz(lanes) : __builtin_ctz(lanes));
  }
}

/// Outputs of rows of neighbours, each by search(first element).
template <typename Search>
void searchRows(const ArgMinMaxParams &p, Share share, void *output,
                Search search) {
  forEachChunk(share.begin, share.end, [&](uint32_t out, uint32_t n) {
    int32_t found[kChunk];
    for (uint32_t i = 0; i < n; ++i)
      found[i] = search(int64_t(out + i) * p.axis);
    storeFound(p, found, n, out, output);
  });
}

} // namespace

YARROW_KERNEL(yk_arg_min_max, ArgMinMax) {
  Share share = shareOf(p.outer * p.inner, task, taskCount);
  const void *input = buffers.input();
  if (p.inner == 1 && p.axis >= kStrip && isSmallInt(p.inType))
    return withSmallInt(p.inType, [&](auto zero) {
      searchRows(p, share, buffers.output(), [&](int64_t first) {
        return searchStrips<decltype(zero)>(p, input, first);
      });
    });
  if (p.inner == 1 && p.axis >= kShortAxis)
    return searchRows(p, share, buffers.output(), [&](int64_t first) {
      return searchRow(p, input, first);
    });
  if (p.inner == 1)
    return forEachChunk(share.begin, share.end, [&](uint32_t out, uint32_t n) {
      searchColumns(p, input, out, n, buffers.output());
    });
  for (uint32_t out = share.begin, n; out < share.end; out += n) {
    n = p.inner - out % p.inner;
    n = n < share.end - out ? n : share.end - out;
    n = n < kChunk ? n : kChunk;
    searchColumns(p, input, out, n, buffers.output());
  }
}
