//===- BestRows.cpp - The best boxes of each image ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/detection/BoxGroups.h"
#include "kernels/detection/GroupLoop.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// The results, by rows of all images.
struct Rows {
  float *scores, *boxes;
  int32_t *labels;

  void set(int64_t row, float score, const float *box, uint32_t label) const {
    scores[row] = score, labels[row] = int32_t(label);
    copyBox(box, boxes + 4 * row);
  }
};

/// The class behind class \p last by falling score, the first of equal ones;
/// class 0 is none and begins the search. 0 at the end.
uint32_t nextClass(const float *scores, uint32_t classes, uint32_t last) {
  uint32_t best = 0;
  for (uint32_t c = 1; c < classes; ++c) {
    bool isAfter = last == 0 || scores[c] < scores[last] ||
                   (!(scores[c] > scores[last]) && c > last);
    if (isAfter && (best == 0 || scores[c] > scores[best]))
      best = c;
  }
  return best;
}

} // namespace

YARROW_KERNEL(yk_best_rows, BestRows) {
  const GroupLists &lists = p.lists;
  auto *boxes = static_cast<const float *>(buffers.boxes());
  auto *places = static_cast<const int32_t *>(buffers.kept());
  auto *classScores = static_cast<const float *>(buffers.classScores());
  Rows rows{static_cast<float *>(buffers.scores()),
            static_cast<float *>(buffers.outBoxes()),
            static_cast<int32_t *>(buffers.labels())};
  auto *taken = static_cast<int32_t *>(buffers.taken());
  auto *counts = static_cast<int32_t *>(buffers.count());
  Share share = shareOf(lists.images, task, taskCount);
  for (uint32_t image = share.begin; image < share.end; ++image) {
    KeptBoxes kept(lists, buffers.lists(), buffers.keptScores(), image);
    int64_t first = int64_t(image) * p.capacity;
    uint32_t row = 0;
    auto add = [&](uint32_t, uint32_t g, uint32_t rank) {
      int64_t box = kept.box(places, g, rank);
      if (p.perBox == 0) {
        rows.set(first + row++, kept.score(g, rank), boxes + 4 * box,
                 g + p.firstLabel);
        return;
      }
      const float *scores = classScores + box * p.classes;
      uint32_t last = 0;
      for (uint32_t k = 0; k < p.perBox && row < p.capacity; ++k) {
        last = nextClass(scores, p.classes, last);
        if (last == 0)
          return;
        rows.set(first + row++, scores[last], boxes + 4 * box,
                 last - 1 + p.firstLabel);
      }
    };
    takeBest(kept, 0, lists.groups, p.capacity,
             taken + int64_t(image) * lists.groups, add);
    counts[image] = int32_t(row);
    constexpr float kNothing[4] = {};
    for (; row < p.capacity; ++row)
      rows.set(first + row, 0, kNothing, 0);
  }
}
