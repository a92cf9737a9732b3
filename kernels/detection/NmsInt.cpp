//===- NmsInt.cpp - Non-maximum suppression in integers -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/detection/NmsLoop.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

class IntBoxes {
public:
  using Value = int32_t;

  IntBoxes(const NmsIntParams &p, const void *boxes, const void *scores,
           const uint16_t *factors, const uint8_t *shifts, uint32_t image)
      : p(p), boxes(boxes), scores(scores), factors(factors), shifts(shifts),
        first(int64_t(image) * p.shape.list.boxes),
        areaShift(p.areaShift + (p.shape.isCentred ? 2 : 0)) {}

  /// Corners of centred boxes are in halves, their areas in quarters.
  Corners<int32_t> load(uint32_t box) const {
    int32_t b[4];
    loadI32(p.shape.boxType, boxes, 4 * (first + box), 4, b);
    for (int32_t &q : b)
      q += p.zp;
    if (p.shape.isCentred) {
      int32_t y = 2 * b[0], x = 2 * b[1], h = b[2], w = b[3];
      b[0] = y - h, b[1] = x - w, b[2] = y + h, b[3] = x + w;
    }
    Corners<int32_t> c{lesser(b[0], b[2]), lesser(b[1], b[3]),
                       greater(b[0], b[2]), greater(b[1], b[3]), 0};
    c.area = areaOf(c.y2 - c.y1, c.x2 - c.x1);
    return c;
  }
  int32_t score(uint32_t box) const {
    return loadOneI32(p.shape.scoreType, scores, first + box);
  }
  bool isSmall(const Corners<int32_t> &c) const {
    return c.y2 - c.y1 <= p.minSize || c.x2 - c.x1 <= p.minSize;
  }
  bool exceeds(int32_t score) const { return score > p.scoreThreshold; }

  bool overlapsAny(const Corners<int32_t> &c,
                   const CornerPlanes<int32_t> &planes, uint32_t begin,
                   uint32_t n) const {
    int32_t inter[kChunk], uni[kChunk];
    overlaps(c, planes, begin, n, inter, uni);
    uint32_t any = 0;
    for (uint32_t i = 0; i < n; ++i)
      any |= exceedsThreshold(inter[i], uni[i]);
    return any;
  }

  int32_t decayed(int32_t score, const Corners<int32_t> &c,
                  const CornerPlanes<int32_t> &planes, uint32_t begin,
                  uint32_t n) const {
    int32_t inter[kChunk], uni[kChunk];
    overlaps(c, planes, begin, n, inter, uni);
    int32_t most = int32_t(p.levels) - 1;
    for (uint32_t i = 0; i < n && exceeds(score); ++i) {
      if (uni[i] <= 0)
        inter[i] = 0, uni[i] = 1;
      int32_t u =
          int32_t(clamp<int64_t>(int64_t(inter[i]) * most / uni[i], 0, most));
      if (p.shape.method == NmsMethod::Gaussian)
        score = saturateToI32(int64_t(score) * factors[u] >>
                              (shifts[u] < 63 ? shifts[u] : 63));
      else if (exceedsThreshold(inter[i], uni[i]))
        score = int32_t(int64_t(score) * (most - u) / most);
    }
    return score;
  }

private:
  /// Sides have at most 19 bits.
  int32_t areaOf(int32_t h, int32_t w) const {
    constexpr int64_t kMost = 1 << 30;
    int64_t area = int64_t(h) * w >> areaShift;
    return int32_t(area < kMost ? area : kMost);
  }
  bool exceedsThreshold(int32_t inter, int32_t uni) const {
    return inter > (int64_t(uni) * p.iouThreshold >> p.iouShift);
  }
  void overlaps(const Corners<int32_t> &c, const CornerPlanes<int32_t> &planes,
                uint32_t begin, uint32_t n, int32_t *inter,
                int32_t *uni) const {
    const int32_t *y1 = planes.y1 + begin, *x1 = planes.x1 + begin,
                  *y2 = planes.y2 + begin, *x2 = planes.x2 + begin,
                  *area = planes.area + begin;
    for (uint32_t i = 0; i < n; ++i) {
      int32_t h = lesser(c.y2, y2[i]) - greater(c.y1, y1[i]);
      int32_t w = lesser(c.x2, x2[i]) - greater(c.x1, x1[i]);
      inter[i] = areaOf(greater(h, 0), greater(w, 0));
      // Both areas are at least the intersection: at most 2^31 - 1.
      uni[i] = c.area - inter[i] + area[i];
    }
  }

  const NmsIntParams &p;
  const void *boxes, *scores;
  const uint16_t *factors;
  const uint8_t *shifts;
  int64_t first;
  int32_t areaShift;
};

} // namespace

YARROW_KERNEL(yk_nms_int, NmsInt) {
  suppress<IntBoxes>(
      p.shape, static_cast<const RankEntry *>(buffers.entries()),
      buffers.perClass(), buffers.classCount(),
      {static_cast<int32_t *>(buffers.lists()),
       static_cast<int32_t *>(buffers.kept()),
       static_cast<int32_t *>(buffers.keptScores()),
       static_cast<int32_t *>(buffers.corners()), buffers.heap()},
      task, taskCount, [&](uint32_t image) {
        return IntBoxes(p, buffers.boxes(), buffers.scores(),
                        static_cast<const uint16_t *>(buffers.factors()),
                        static_cast<const uint8_t *>(buffers.shifts()), image);
      });
}
