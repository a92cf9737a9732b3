//===- NmsCandidates.cpp - The boxes that a suppression sorts -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/detection/Nms.h"
#include "kernels/detection/Rank.h"

using namespace yarrow;
using namespace yarrow::kernels;

YARROW_KERNEL(yk_nms_candidates, NmsCandidates) {
  const ClassList &list = p.list;
  auto *entries = static_cast<RankEntry *>(buffers.entries());
  bool isFloat = isFloatType(p.scoreType);
  Share share = shareOf(p.batch * list.boxes, task, taskCount);
  for (uint32_t image = share.begin / list.boxes;
       image * list.boxes < share.end; ++image) {
    uint32_t first = image * list.boxes;
    // The task's part of the boxes of the image.
    uint32_t begin = share.begin > first ? share.begin - first : 0;
    uint32_t end =
        share.end - first < list.boxes ? share.end - first : list.boxes;
    auto addGroup = [&](int32_t group, uint32_t from, uint32_t to) {
      from = from > begin ? from : begin, to = to < end ? to : end;
      forEachChunk(from, to, [&](uint32_t i, uint32_t n) {
        int32_t keys[kChunk];
        loadKeys(p.scoreType, buffers.scores(), int64_t(first) + i, n, false,
                 keys);
        RankEntry *entry = entries + first + i;
        for (uint32_t lane = 0; lane < n; ++lane) {
          int32_t key = keys[lane];
          bool isNaN = isFloat && key == INT32_MAX;
          bool counts = key > p.threshold && !isNaN;
          entry[lane] = {counts ? group : kNoGroup, counts ? key : 0,
                         int32_t(i + lane)};
        }
      });
    };
    uint32_t last = 0;
    forEachClass(list, buffers.perClass(), buffers.classCount(), image,
                 [&](uint32_t c, uint32_t from, uint32_t to) {
                   addGroup(int32_t(c), from, to);
                   last = to;
                 });
    addGroup(kNoGroup, last, list.boxes);
  }
}
