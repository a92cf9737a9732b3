//===- NmsFloat.cpp - Non-maximum suppression in floats -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/Math.h"
#include "kernels/detection/NmsLoop.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

class FloatBoxes {
public:
  using Value = float;

  FloatBoxes(const NmsFloatParams &p, const void *boxes, const void *scores,
             uint32_t image)
      : p(p), boxes(boxes), scores(scores),
        first(int64_t(image) * p.shape.list.boxes) {}

  Corners<float> load(uint32_t box) const {
    float b[4];
    loadF32(p.shape.boxType, boxes, 4 * (first + box), 4, b);
    if (p.shape.isCentred) {
      float halfH = b[2] * 0.5f, halfW = b[3] * 0.5f, y = b[0], x = b[1];
      b[0] = y - halfH, b[1] = x - halfW, b[2] = y + halfH, b[3] = x + halfW;
    }
    // Of all four numbers, so that a NaN makes it one.
    float area = (__builtin_fabsf(b[2] - b[0]) + p.sideExtra) *
                 (__builtin_fabsf(b[3] - b[1]) + p.sideExtra);
    return {canonicalNaN(lesser(b[0], b[2])), canonicalNaN(lesser(b[1], b[3])),
            canonicalNaN(greater(b[0], b[2])),
            canonicalNaN(greater(b[1], b[3])), canonicalNaN(area)};
  }
  float score(uint32_t box) const {
    float value;
    loadF32(p.shape.scoreType, scores, first + box, 1, &value);
    return canonicalNaN(value);
  }
  bool isSmall(const Corners<float> &c) const {
    return c.y2 - c.y1 <= p.minSize || c.x2 - c.x1 <= p.minSize;
  }
  bool exceeds(float score) const { return score > p.scoreThreshold; }

  bool overlapsAny(const Corners<float> &c, const CornerPlanes<float> &planes,
                   uint32_t begin, uint32_t n) const {
    float iou[kChunk];
    overlaps(c, planes, begin, n, iou);
    uint32_t any = 0;
    for (uint32_t i = 0; i < n; ++i)
      any |= iou[i] > p.iouThreshold;
    return any;
  }

  float decayed(float score, const Corners<float> &c,
                const CornerPlanes<float> &planes, uint32_t begin,
                uint32_t n) const {
    float iou[kChunk];
    overlaps(c, planes, begin, n, iou);
    bool isLinear = p.shape.method == NmsMethod::Linear;
    for (uint32_t i = 0; i < n; ++i) {
      float x = iou[i];
      float factor =
          isLinear ? 1 - x : float(math::exp(double(p.decay * x * x)));
      iou[i] = isLinear ? (x > p.iouThreshold ? factor : 1.0f)
                        : (x > 0 ? factor : 1.0f);
    }
    for (uint32_t i = 0; i < n && exceeds(score); ++i)
      score *= iou[i];
    return score;
  }

private:
  void overlaps(const Corners<float> &c, const CornerPlanes<float> &planes,
                uint32_t begin, uint32_t n, float *iou) const {
    const float *y1 = planes.y1 + begin, *x1 = planes.x1 + begin,
                *y2 = planes.y2 + begin, *x2 = planes.x2 + begin,
                *area = planes.area + begin;
    for (uint32_t i = 0; i < n; ++i) {
      float h = lesser(c.y2, y2[i]) - greater(c.y1, y1[i]) + p.sideExtra;
      float w = lesser(c.x2, x2[i]) - greater(c.x1, x1[i]) + p.sideExtra;
      float inter = greater(h, 0.0f) * greater(w, 0.0f);
      iou[i] = inter / (c.area + area[i] - inter);
    }
  }

  const NmsFloatParams &p;
  const void *boxes, *scores;
  int64_t first;
};

} // namespace

YARROW_KERNEL(yk_nms_float, NmsFloat) {
  suppress<FloatBoxes>(
      p.shape, static_cast<const RankEntry *>(buffers.entries()),
      buffers.perClass(), buffers.classCount(),
      {static_cast<int32_t *>(buffers.lists()),
       static_cast<int32_t *>(buffers.kept()),
       static_cast<float *>(buffers.keptScores()),
       static_cast<float *>(buffers.corners()), buffers.heap()},
      task, taskCount, [&](uint32_t image) {
        return FloatBoxes(p, buffers.boxes(), buffers.scores(), image);
      });
}
