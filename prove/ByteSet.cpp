//===- ByteSet.cpp - The bytes that a command touches ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "prove/ByteSet.h"

#include <algorithm>
#include <cassert>

using namespace yarrow::prove;

void ByteSet::addAxis(int64_t count, int64_t strideBytes) {
  if (count < 2)
    return;
  assert(numAxes < kMaxAxes && "a copy has five axes, all else fewer");
  axes[numAxes++] = {count, strideBytes};
}

void ByteSet::normalise() {
  auto end = axes.begin() + numAxes;
  for (auto axis = axes.begin(); axis != end; ++axis)
    if (axis->strideBytes < 0) {
      first += (axis->count - 1) * axis->strideBytes;
      axis->strideBytes = -axis->strideBytes;
    }
  end = std::remove_if(axes.begin(), end,
                       [](const Axis &a) { return a.strideBytes == 0; });
  std::sort(axes.begin(), end, [](const Axis &a, const Axis &b) {
    return a.strideBytes < b.strideBytes;
  });
  unsigned kept = 0;
  for (auto axis = axes.begin(); axis != end; ++axis) {
    if (kept == 0 && axis->strideBytes <= runBytes) {
      runBytes += (axis->count - 1) * axis->strideBytes;
      continue;
    }
    Axis *inner = kept ? &axes[kept - 1] : nullptr;
    if (inner && axis->strideBytes == inner->count * inner->strideBytes)
      inner->count *= axis->count;
    else
      axes[kept++] = *axis;
  }
  numAxes = kept;
}

int64_t ByteSet::begin() const {
  int64_t at = first;
  for (unsigned i = 0; i < numAxes; ++i)
    at += std::min<int64_t>(0, (axes[i].count - 1) * axes[i].strideBytes);
  return at;
}

int64_t ByteSet::end() const {
  int64_t at = first + runBytes;
  for (unsigned i = 0; i < numAxes; ++i)
    at += std::max<int64_t>(0, (axes[i].count - 1) * axes[i].strideBytes);
  return at;
}

int64_t ByteSet::numRuns() const {
  constexpr int64_t kMost = int64_t(1) << 62;
  int64_t runs = 1;
  for (unsigned i = 0; i < numAxes; ++i)
    if (__builtin_mul_overflow(runs, axes[i].count, &runs) || runs > kMost)
      return kMost;
  return runs;
}
