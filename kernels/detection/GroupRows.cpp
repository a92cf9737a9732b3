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
      groupScores[to] = canonicalNaN(scores[from]);
      for (uint32_t k = 0; k < 4; ++k)
        groupBoxes[4 * to + k] = canonicalNaN(boxes[4 * from + k]);
      perGroup[int64_t(box) * groups + c] = box == begin ? int32_t(count) : 0;
    }
  }
}

YARROW_KERNEL(yk_limit_groups, LimitGroups) {
  const GroupLists &lists = p.lists;
  KeptBoxes kept(lists, buffers.lists(), buffers.keptScores());
  auto *taken = static_cast<int32_t *>(buffers.taken());
  uint32_t perImage = lists.groups / lists.perBlock;
  Share share = shareOf(lists.images * perImage, task, taskCount);
  for (uint32_t block = share.begin; block < share.end; ++block) {
    uint32_t first = block * lists.perBlock, total = 0;
    for (uint32_t g = first; g < first + lists.perBlock; ++g) {
      taken[g] = int32_t(kept.count(g));
      total += kept.count(g); // at most the boxes of an image
    }
    if (total > p.most)
      takeBest(kept, first, lists.perBlock, p.most, taken,
               [](uint32_t, uint32_t, uint32_t) {});
  }
}

YARROW_KERNEL(yk_group_rows, GroupRows) {
  const GroupLists &lists = p.lists;
  KeptBoxes kept(lists, buffers.lists(), buffers.keptScores());
  auto *boxes = static_cast<const float *>(buffers.boxes());
  auto *places = static_cast<const int32_t *>(buffers.kept()),
       *taken = static_cast<const int32_t *>(buffers.taken()),
       *numbers = static_cast<const int32_t *>(buffers.numbers());
  auto *scores = static_cast<float *>(buffers.scores()),
       *outBoxes = static_cast<float *>(buffers.outBoxes());
  auto *classes = static_cast<int32_t *>(buffers.classes()),
       *outNumbers = static_cast<int32_t *>(buffers.outNumbers());
  Share share = shareOf(p.capacity, task, taskCount);
  uint32_t row = 0;
  for (uint32_t g = 0; g < lists.images * lists.groups; ++g) {
    uint32_t image = g / lists.groups, block = g / lists.perBlock;
    uint32_t count = lesser(uint32_t(taken[g]), kept.count(g));
    count = lesser(count, p.capacity - row);
    uint32_t own = greater(row, share.begin);
    for (; own < lesser(share.end, row + count); ++own) {
      int64_t at = kept.first(g) + (own - row);
      int64_t box = int64_t(image) * lists.boxes +
                    lesser(uint32_t(places[at]), lists.boxes - 1);
      scores[own] = canonicalNaN(kept.scores[at]);
      for (uint32_t k = 0; k < 4; ++k)
        outBoxes[4 * int64_t(own) + k] = canonicalNaN(boxes[4 * box + k]);
      classes[own] = int32_t(g % lists.perBlock + p.firstClass);
      outNumbers[own] = numbers ? numbers[block] : int32_t(image);
    }
    row += count;
  }
  if (task == 0)
    *static_cast<int32_t *>(buffers.count()) = int32_t(row);
  for (uint32_t own = greater(row, share.begin); own < share.end; ++own) {
    scores[own] = 0, classes[own] = 0, outNumbers[own] = 0;
    for (uint32_t k = 0; k < 4; ++k)
      outBoxes[4 * int64_t(own) + k] = 0;
  }
}
