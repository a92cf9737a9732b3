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
  const float *boxes;
  float *scores, *outBoxes;
  int32_t *labels;

  void set(int64_t row, float score, int64_t box, uint32_t label) const {
    scores[row] = canonicalNaN(score), labels[row] = int32_t(label);
    for (uint32_t k = 0; k < 4; ++k)
      outBoxes[4 * row + k] = canonicalNaN(boxes[4 * box + k]);
  }
  void clear(int64_t row) const {
    scores[row] = 0, labels[row] = 0;
    for (uint32_t k = 0; k < 4; ++k)
      outBoxes[4 * row + k] = 0;
  }
};

/// The class behind class \p last by falling score, the first of equal ones;
/// class 0 is none and begins the search. 0 at the end.
uint32_t nextClass(const float *scores, uint32_t classes, uint32_t last) {
  uint32_t best = 0;
  for (uint32_t c = 1; c < classes; ++c) {
    bool isBehind = last == 0 || scores[c] < scores[last] ||
                    (!(scores[c] > scores[last]) && c > last);
    if (isBehind && (best == 0 || scores[c] > scores[best]))
      best = c;
  }
  return best;
}

} // namespace

YARROW_KERNEL(yk_best_rows, BestRows) {
  const GroupLists &lists = p.lists;
  KeptBoxes kept(lists, buffers.lists(), buffers.keptScores());
  auto *places = static_cast<const int32_t *>(buffers.kept());
  auto *classScores = static_cast<const float *>(buffers.classScores());
  Rows rows{static_cast<const float *>(buffers.boxes()),
            static_cast<float *>(buffers.scores()),
            static_cast<float *>(buffers.outBoxes()),
            static_cast<int32_t *>(buffers.labels())};
  auto *taken = static_cast<int32_t *>(buffers.taken());
  auto *counts = static_cast<int32_t *>(buffers.count());
  Share share = shareOf(lists.images, task, taskCount);
  for (uint32_t image = share.begin; image < share.end; ++image) {
    int64_t first = int64_t(image) * p.capacity;
    uint32_t row = 0;
    auto add = [&](uint32_t, uint32_t g, uint32_t rank) {
      int64_t at = kept.first(g) + rank;
      int64_t box = int64_t(image) * lists.boxes +
                    lesser(uint32_t(places[at]), lists.boxes - 1);
      if (p.perBox == 0) {
        rows.set(first + row++, kept.scores[at], box,
                 g % lists.groups + p.firstLabel);
        return;
      }
      const float *scores = classScores + box * p.classes;
      uint32_t last = 0;
      for (uint32_t k = 0; k < p.perBox && row < p.capacity; ++k) {
        last = nextClass(scores, p.classes, last);
        if (last == 0)
          return;
        rows.set(first + row++, scores[last], box, last - 1 + p.firstLabel);
      }
    };
    takeBest(kept, image * lists.groups, lists.groups, p.capacity, taken, add);
    counts[image] = int32_t(row);
    for (; row < p.capacity; ++row)
      rows.clear(first + row);
  }
}
