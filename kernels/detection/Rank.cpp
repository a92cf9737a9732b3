//===- Rank.cpp - Sorting candidates --------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/detection/Rank.h"
#include "kernels/detection/MinMax.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// Two sorted runs, one behind the other.
struct Pair {
  const RankEntry *a, *b;
  uint32_t countA, countB;

  /// How many of a are among the first \p k of both.
  uint32_t takenOfA(uint32_t k) const {
    uint32_t low = k > countB ? k - countB : 0, high = lesser(k, countA);
    while (low < high) {
      uint32_t middle = (low + high) / 2;
      if (isBefore(b[k - 1 - middle], a[middle]))
        high = middle;
      else
        low = middle + 1;
    }
    return low;
  }

  /// Entries [begin, end) of both, merged.
  void merge(uint32_t begin, uint32_t end, RankEntry *to) const {
    uint32_t atA = takenOfA(begin), atB = begin - atA;
    for (uint32_t k = begin; k < end; ++k) {
      bool takesA =
          atB == countB || (atA < countA && !isBefore(b[atB], a[atA]));
      *to++ = takesA ? a[atA++] : b[atB++];
    }
  }
};

} // namespace

YARROW_KERNEL(yk_rank_runs, RankRuns) {
  auto *in = static_cast<const RankEntry *>(buffers.input());
  auto *out = static_cast<RankEntry *>(buffers.output());
  uint32_t runs = (p.count + p.run - 1) / p.run;
  Share share = shareOf(p.rows * runs, task, taskCount);
  for (uint32_t i = share.begin; i < share.end; ++i) {
    uint32_t first = i % runs * p.run;
    uint32_t size = lesser(p.run, p.count - first);
    uint32_t at = i / runs * p.count + first;
    RankEntry *entry = out + at;
    for (uint32_t k = 0; k < size; ++k) {
      RankEntry next = in[at + k];
      uint32_t slot = k;
      for (; slot > 0 && isBefore(next, entry[slot - 1]); --slot)
        entry[slot] = entry[slot - 1];
      entry[slot] = next;
    }
  }
}

YARROW_KERNEL(yk_rank_merge, RankMerge) {
  auto *in = static_cast<const RankEntry *>(buffers.input());
  auto *out = static_cast<RankEntry *>(buffers.output());
  Share share = shareOf(p.rows * p.count, task, taskCount);
  for (uint32_t at = share.begin; at < share.end;) {
    uint32_t row = at / p.count * p.count;
    uint32_t first = (at - row) / p.run / 2 * 2 * p.run;
    uint32_t countA = lesser(p.run, p.count - first);
    uint32_t countB = lesser(p.run, p.count - first - countA);
    const RankEntry *a = in + row + first;
    Pair pair{a, a + countA, countA, countB};
    uint32_t begin = at - row - first;
    uint32_t end = lesser(countA + countB, share.end - row - first);
    pair.merge(begin, end, out + at);
    at += end - begin;
  }
}
