//===- GroupLoop.h - What a suppression has kept, group by group *- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// For the kernels of BoxGroups.h. Lists are data and may be wrong: none goes
// beyond the boxes of its image.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_DETECTION_GROUPLOOP_H
#define YARROW_KERNELS_DETECTION_GROUPLOOP_H

#include "kernels/Elements.h"
#include "kernels/detection/BoxGroups.h"
#include "kernels/detection/MinMax.h"

namespace yarrow::kernels {

/// The groups of all images, counted through.
struct KeptBoxes {
  KeptBoxes(const GroupLists &shape, const void *lists, const void *scores)
      : scores(static_cast<const float *>(scores)),
        lists(static_cast<const int32_t *>(lists)), boxes(shape.boxes),
        groups(shape.groups) {}

  const float *scores;

  uint32_t begin(uint32_t group) const {
    return lesser(uint32_t(lists[3 * int64_t(group)]), boxes);
  }
  uint32_t count(uint32_t group) const {
    return lesser(uint32_t(lists[3 * int64_t(group) + 1]),
                  boxes - begin(group));
  }
  /// Where its first box is, among the boxes of all images.
  int64_t first(uint32_t group) const {
    return int64_t(group / groups) * boxes + begin(group);
  }

private:
  const int32_t *lists;
  uint32_t boxes, groups;
};

/// Calls fn(n, group, rank) for the n-th best box of \p count groups, at most
/// \p most times, and leaves in taken[group] how many of it these were. The
/// boxes of a group are in falling order already, so only their next ones are
/// compared.
template <typename Fn>
inline uint32_t takeBest(const KeptBoxes &kept, uint32_t first, uint32_t count,
                         uint32_t most, int32_t *taken, Fn fn) {
  for (uint32_t g = first; g < first + count; ++g)
    taken[g] = 0;
  for (uint32_t n = 0; n < most; ++n) {
    uint32_t best = ~0u;
    float score = 0;
    for (uint32_t g = first; g < first + count; ++g) {
      auto rank = uint32_t(taken[g]);
      if (rank >= kept.count(g))
        continue;
      float next = kept.scores[kept.first(g) + rank];
      if (best == ~0u || next > score)
        best = g, score = next;
    }
    if (best == ~0u)
      return n;
    fn(n, best, uint32_t(taken[best]++));
  }
  return most;
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_DETECTION_GROUPLOOP_H
