//===- GroupRows.cpp - Boxes of many images in groups ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/detection/BoxGroups.h"
#include "kernels/detection/GroupLoop.h"

using namespace yarrow;
using namespace yarrow::kernels;

YARROW_KERNEL(yk_box_groups, BoxGroups) {
  auto *scores = static_cast<const float *>(buffers.scores()),
       *boxes = static_cast<const float *>(buffers.boxes());
  auto *numbers = static_cast<const int32_t *>(buffers.numbers());
  auto *groupScores = static_cast<float *>(buffers.groupScores()),
       *groupBoxes = static_cast<float *>(buffers.groupBoxes());
  auto *perGroup = static_cast<int32_t *>(buffers.perGroup());
  uint32_t groups = p.classes - 1; // of an image
  Share share = shareOf(p.boxes, task, taskCount);
  uint32_t begin = share.begin, end = begin;
  // The image of the first box may have begun in another task's share.
  while (begin > 0 && share.begin < share.end &&
         numbers[begin - 1] == numbers[share.begin])
    --begin;
  for (uint32_t box = share.begin; box < share.end; ++box) {
    if (box >= end) {
      begin = box == share.begin ? begin : box;
      for (end = box + 1; end < p.boxes && numbers[end] == numbers[box];)
        ++end;
    }
    uint32_t count = end - begin;
    for (uint32_t c = 0; c < groups; ++c) {
      int64_t from = int64_t(box) * p.classes + c + 1;
      int64_t to = int64_t(begin) * groups + c * count + (box - begin);
      groupScores[to] = scores[from];
      copyBox(boxes + 4 * from, groupBoxes + 4 * to);
      perGroup[int64_t(box) * groups + c] = box == begin ? int32_t(count) : 0;
    }
  }
}

YARROW_KERNEL(yk_limit_groups, LimitGroups) {
  const GroupLists &lists = p.lists;
  auto *taken = static_cast<int32_t *>(buffers.taken());
  uint32_t perImage = lists.groups / lists.perBlock;
  Share share = shareOf(lists.images * perImage, task, taskCount);
  for (uint32_t block = share.begin; block < share.end; ++block) {
    uint32_t image = block / perImage,
             first = block % perImage * lists.perBlock;
    KeptBoxes kept(lists, buffers.lists(), buffers.keptScores(), image);
    int32_t *ofImage = taken + int64_t(image) * lists.groups;
    uint32_t total = 0;
    for (uint32_t g = first; g < first + lists.perBlock; ++g) {
      ofImage[g] = int32_t(kept.count(g));
      total += kept.count(g); // of a suppression's lists, an image's boxes
    }
    if (total > p.most)
      takeBest(kept, first, lists.perBlock, p.most, ofImage,
               [](uint32_t, uint32_t, uint32_t) {});
  }
}

namespace {

/// The results of yk_group_rows.
struct ListedRows {
  float *scores, *boxes;
  int32_t *classes, *numbers;

  void set(uint32_t row, float score, const float *box, uint32_t ofClass,
           int32_t number) const {
    scores[row] = score, classes[row] = int32_t(ofClass);
    numbers[row] = number;
    copyBox(box, boxes + 4 * int64_t(row));
  }
};

} // namespace

YARROW_KERNEL(yk_group_rows, GroupRows) {
  const GroupLists &lists = p.lists;
  auto *boxes = static_cast<const float *>(buffers.boxes());
  auto *places = static_cast<const int32_t *>(buffers.kept()),
       *taken = static_cast<const int32_t *>(buffers.taken()),
       *numbers = static_cast<const int32_t *>(buffers.numbers());
  ListedRows rows{static_cast<float *>(buffers.scores()),
                  static_cast<float *>(buffers.outBoxes()),
                  static_cast<int32_t *>(buffers.classes()),
                  static_cast<int32_t *>(buffers.outNumbers())};
  Share share = shareOf(p.capacity, task, taskCount);
  uint32_t row = 0;
  for (uint32_t image = 0; image < lists.images; ++image) {
    KeptBoxes kept(lists, buffers.lists(), buffers.keptScores(), image);
    for (uint32_t g = 0; g < lists.groups; ++g) {
      uint32_t all = image * lists.groups + g;
      uint32_t count = kept.count(g);
      if (taken)
        count = lesser(count, uint32_t(taken[all]));
      count = lesser(count, p.capacity - row);
      uint32_t end = lesser(share.end, row + count);
      for (uint32_t own = greater(row, share.begin); own < end; ++own)
        rows.set(own, kept.score(g, own - row),
                 boxes + 4 * kept.box(places, g, own - row),
                 g % lists.perBlock + p.firstClass,
                 numbers ? numbers[all / lists.perBlock] : int32_t(image));
      row += count;
    }
  }
  if (task == 0)
    *static_cast<int32_t *>(buffers.count()) = int32_t(row);
  constexpr float kNothing[4] = {};
  for (uint32_t own = greater(row, share.begin); own < share.end; ++own)
    rows.set(own, 0, kNothing, 0, 0);
}
