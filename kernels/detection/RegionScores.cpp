//===- RegionScores.cpp - Scores of YOLO's predictions --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/Math.h"
#include "kernels/activation/Lookup.h"
#include "kernels/detection/MinMax.h"
#include "kernels/detection/Region.h"

using namespace yarrow;
using namespace yarrow::kernels;

YARROW_KERNEL(yk_region_scores_float, RegionScoresFloat) {
  const RegionShape &shape = p.shape;
  auto *scores = static_cast<float *>(buffers.scores());
  Share share = shareOf(shape.batch * shape.boxes(), task, taskCount);
  for (uint32_t box = share.begin; box < share.end; ++box) {
    int64_t first = int64_t(box) * shape.width() + 4;
    auto forEachPart = [&](auto fn) {
      forEachChunk(0, shape.classes, [&](uint32_t c, uint32_t n) {
        float x[kChunk];
        loadF32(shape.type, buffers.input(), first + 1 + c, n, x);
        fn(c, n, x);
      });
    };
    float objectness, most = -__builtin_huge_valf();
    loadF32(shape.type, buffers.input(), first, 1, &objectness);
    forEachPart([&](uint32_t, uint32_t n, const float *x) {
      for (uint32_t i = 0; i < n; ++i)
        most = greater(x[i], most);
    });
    double sum = 0;
    float *to = scores + int64_t(box) * shape.classes;
    forEachPart([&](uint32_t c, uint32_t n, const float *x) {
      for (uint32_t i = 0; i < n; ++i)
        to[c + i] = float(math::exp(double(x[i]) - double(most)));
      for (uint32_t i = 0; i < n; ++i)
        sum += double(to[c + i]);
    });
    auto factor = float(math::sigmoid(double(objectness)) / sum);
    for (uint32_t c = 0; c < shape.classes; ++c)
      to[c] = canonicalNaN(to[c] * factor);
  }
}

YARROW_KERNEL(yk_region_scores_int, RegionScoresInt) {
  const RegionShape &shape = p.shape;
  auto *scores = static_cast<int32_t *>(buffers.scores());
  uint32_t bits = 8 * dtypeBytes(shape.type);
  int32_t last = int32_t((1u << bits) - 1);
  bool isSigned = shape.type == DType::I8 || shape.type == DType::I16;
  Share share = shareOf(shape.batch * shape.boxes(), task, taskCount);
  for (uint32_t box = share.begin; box < share.end; ++box) {
    int64_t first = int64_t(box) * shape.width() + 4;
    auto forEachPart = [&](auto fn) {
      forEachChunk(0, shape.classes, [&](uint32_t c, uint32_t n) {
        int32_t q[kChunk];
        loadI32(shape.type, buffers.input(), first + 1 + c, n, q);
        fn(c, n, q);
      });
    };
    int32_t index = loadOneI32(shape.type, buffers.input(), first), conf;
    index += isSigned ? (last + 1) / 2 : 0;
    lookup(&index, 1, DType::U16, buffers.sigmoidTable(), bits, p.log2Sigmoid,
           &conf);
    int32_t most = INT32_MIN;
    forEachPart([&](uint32_t, uint32_t n, const int32_t *q) {
      for (uint32_t i = 0; i < n; ++i)
        most = greater(q[i], most);
    });
    int32_t *to = scores + int64_t(box) * shape.classes;
    int64_t sum = 0;
    forEachPart([&](uint32_t c, uint32_t n, int32_t *q) {
      for (uint32_t i = 0; i < n; ++i)
        q[i] += last - most;
      lookup(q, n, DType::U32, buffers.expTable(), bits, p.log2Exp, to + c);
      for (uint32_t i = 0; i < n; ++i)
        sum += uint32_t(to[c + i]);
    });
    int64_t least = sum * p.threshold >> 8;
    for (uint32_t c = 0; c < shape.classes; ++c) {
      // At most 32 + 16 bits, and 16 more before the division.
      int64_t score = int64_t(uint32_t(to[c])) * conf >> p.confShift;
      score = score <= least || sum == 0 ? 0 : score * p.most / sum;
      to[c] = saturateToI32(score);
    }
  }
}
