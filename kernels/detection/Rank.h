//===- Rank.h - Kernels that sort candidates --------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A merge sort in several steps, which all TECs share: runs are sorted, then
// merged in pairs until a row is one run. n entries cost up to n run / 2
// comparisons and moves, or n if they are in order (as entries that are not
// candidates are), then n for each doubling of the run.
//
// Kernels: Rank.def.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_DETECTION_RANK_H
#define YARROW_KERNELS_DETECTION_RANK_H

#include "kernels/Signature.h"

namespace yarrow::kernels {

/// Sorted by rising group, in a group by falling key, equal ones by rising
/// index. Entries of no group stand last.
struct RankEntry {
  int32_t group = 0;
  int32_t key = 0; // OrderKeys.h
  int32_t index = 0;
};
static_assert(sizeof(RankEntry) == 12);

constexpr int32_t kNoGroup = INT32_MAX;

/// The length of a run to begin with: short enough to be sorted by insertion,
/// and for every TEC to have some of a few hundred boxes.
constexpr uint32_t kRankRun = 16;

inline bool isBefore(const RankEntry &a, const RankEntry &b) {
  if (a.group != b.group)
    return a.group < b.group;
  return a.key != b.key ? a.key > b.key : a.index < b.index;
}

/// Rows of `count` entries, each cut into runs of `run` entries.
///
/// yk_rank_runs sorts each run; work is split by runs. yk_rank_merge makes
/// sorted runs of 2 * run of pairs of sorted ones; work is split by entries of
/// the result, whose place in both runs a task finds by bisection.
struct RankParams {
  uint32_t rows = 1, count = 1, run = 1;
};
static_assert(sizeof(RankParams) == 12);

#define YARROW_KERNELS "kernels/detection/Rank.def"
#include "kernels/DeclareKernels.inc"

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_DETECTION_RANK_H
