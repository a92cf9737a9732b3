//===- GroupLoop.h - What a suppression has kept, group by group *- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// For the kernels of BoxGroups.h. Lists are data and can be wrong, so each is
// limited to the boxes of its image.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_DETECTION_GROUPLOOP_H
#define YARROW_KERNELS_DETECTION_GROUPLOOP_H

#include "kernels/detection/BoxGroups.h"
#include "kernels/detection/MinMax.h"

namespace yarrow::kernels {

/// The groups of one image.
class KeptBoxes {
public:
  KeptBoxes(const GroupLists &shape, const void *lists, const void *scores,
            uint32_t image)
      : begins(static_cast<const int32_t *>(lists) +
               3 * int64_t(image) * shape.groups),
        firstBox(int64_t(image) * shape.boxes), boxes(shape.boxes),
        scores(static_cast<const float *>(scores) + firstBox) {}

  uint32_t begin(uint32_t group) const {
    return lesser(uint32_t(begins[3 * group]), boxes);
  }
  uint32_t count(uint32_t group) const {
    return lesser(uint32_t(begins[3 * group + 1]), boxes - begin(group));
  }
  float score(uint32_t group, uint32_t rank) const {
    return scores[begin(group) + rank];
  }
  /// A box of the group, among those of all images.
  int64_t box(const int32_t *kept, uint32_t group, uint32_t rank) const {
    auto place = uint32_t(kept[firstBox + begin(group) + rank]);
    return firstBox + lesser(place, boxes - 1);
  }

private:
  const int32_t *begins;
  int64_t firstBox;
  uint32_t boxes;
  const float *scores;
};

/// Calls fn(n, group, rank) for the n-th best box of groups [\p first, \p first
/// + \p count), at most \p most times, and leaves in taken[group] how many of
/// it these were. The boxes of a group are in falling order already, so only
/// their next ones are compared.
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
      float next = kept.score(g, rank);
      if (best == ~0u || next > score)
        best = g, score = next;
    }
    if (best == ~0u)
      return n;
    fn(n, best, uint32_t(taken[best]++));
  }
  return most;
}

/// The four numbers of a box.
inline void copyBox(const float *from, float *to) {
  __builtin_memcpy(to, from, 4 * sizeof(float));
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_DETECTION_GROUPLOOP_H
