//===- NmsEmit.cpp - What a suppression has kept --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/detection/MinMax.h"
#include "kernels/detection/Nms.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

void storeBox(const NmsEmitParams &p, const void *boxes, int64_t box, void *to,
              int64_t row) {
  if (isFloatType(p.boxType)) {
    float b[4];
    loadF32(p.boxType, boxes, 4 * box, 4, b);
    return storeF32(p.outBoxType, to, 4 * row, 4, b);
  }
  int32_t b[4];
  loadI32(p.boxType, boxes, 4 * box, 4, b);
  // At most 18 + 16 bits.
  for (int32_t &q : b)
    q = int32_t(
        clamp<int64_t>(int64_t(q + p.zp) * p.scale >> p.shift, p.lo, p.hi));
  storeI32(p.outBoxType, to, 4 * row, 4, b);
}

void storeScore(const NmsEmitParams &p, const void *scores, int64_t at,
                void *to, int64_t row) {
  if (isFloatType(p.scoreType))
    storeF32(p.scoreType, to, row, 1, static_cast<const float *>(scores) + at);
  else
    storeI32(p.scoreType, to, row, 1,
             static_cast<const int32_t *>(scores) + at);
}

void storeNothing(const NmsEmitParams &p, const NmsEmitBuffers &buffers,
                  int64_t row) {
  __builtin_memset(bytesAt(buffers.outBoxes(), p.outBoxType, 4 * row), 0,
                   4 * dtypeBytes(p.outBoxType));
  __builtin_memset(bytesAt(buffers.outScores(), p.scoreType, row), 0,
                   dtypeBytes(p.scoreType));
  storeCount(p.indexType, buffers.outIndices(), row, 0);
}

} // namespace

YARROW_KERNEL(yk_nms_emit, NmsEmit) {
  auto *lists = static_cast<const int32_t *>(buffers.lists());
  auto *kept = static_cast<const int32_t *>(buffers.kept());
  Share share = shareOf(p.batch * p.capacity, task, taskCount);
  for (uint32_t image = share.begin / p.capacity;
       image * p.capacity < share.end; ++image) {
    uint32_t firstRow = image * p.capacity;
    uint32_t begin = share.begin > firstRow ? share.begin - firstRow : 0;
    uint32_t end = lesser(share.end - firstRow, p.capacity);
    uint32_t row = 0;
    for (uint32_t c = 0; c < p.classes; ++c) {
      const int32_t *list = lists + 3 * (int64_t(image) * p.classes + c);
      uint32_t from = lesser(uint32_t(list[0]), p.boxes);
      uint32_t count = lesser(uint32_t(list[1]), p.boxes - from);
      count = lesser(count, p.capacity - row);
      if (begin == 0)
        storeCount(p.perClassType, buffers.outPerClass(),
                   int64_t(image) * p.classes + c, int32_t(count));
      uint32_t own = row > begin ? row : begin;
      for (; own < end && own < row + count; ++own) {
        int64_t at = int64_t(image) * p.boxes + from + (own - row);
        uint32_t box = lesser(uint32_t(kept[at]), p.boxes - 1);
        int64_t to = int64_t(firstRow) + own;
        storeBox(p, buffers.boxes(), int64_t(image) * p.boxes + box,
                 buffers.outBoxes(), to);
        storeScore(p, buffers.keptScores(), at, buffers.outScores(), to);
        storeCount(p.indexType, buffers.outIndices(), to,
                   int32_t(box) - list[2]);
      }
      row += count;
    }
    for (uint32_t own = row > begin ? row : begin; own < end; ++own)
      storeNothing(p, buffers, int64_t(firstRow) + own);
  }
}
