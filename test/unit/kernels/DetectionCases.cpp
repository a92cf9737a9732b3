//===- DetectionCases.cpp - Calls about boxes -----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Counts and places are random bytes, so that most of them are wrong.
//
//===----------------------------------------------------------------------===//
#include "test/unit/kernels/KernelCaseBuilder.h"

using namespace yarrow;
using namespace yarrow::kernels;
using yarrow::testing::KernelCaseBuilder;

void KernelCaseBuilder::addSuppression() {
  ClassList list{.boxes = between(1, 150),
                 .classes = between(1, 5),
                 .perClassType = random.of({DType::U8, DType::I32}),
                 .classCountType = wholeNumber()};
  uint32_t batch = between(1, 2);
  add("yk_nms_candidates", NmsCandidatesParams{.list = list,
                                               .batch = batch,
                                               .scoreType = orderedType(),
                                               .threshold = around(100)});
  add("yk_rank_runs", RankParams{.rows = between(1, 3),
                                 .count = between(1, 300),
                                 .run = between(1, 200)});
  // One run is a sorted one, and so are the slot's.
  add("yk_rank_merge",
      RankParams{.rows = between(1, 3), .count = between(1, 300), .run = 1});
  uint32_t half = between(1, 300);
  add("yk_rank_merge", RankParams{.count = 2 * half, .run = half},
      {{0, kRankSlot}});

  NmsShape shape{.list = list,
                 .batch = batch,
                 .most = between(1, 40),
                 .considered = flip() ? ~0u : between(1, 150),
                 .isCentred = flip()};
  for (NmsMethod method :
       {NmsMethod::Hard, NmsMethod::Gaussian, NmsMethod::Linear}) {
    shape.method = method;
    shape.boxType = floating(), shape.scoreType = floating();
    add("yk_nms_float",
        NmsFloatParams{.shape = shape,
                       .scoreThreshold = real(0, 1),
                       .iouThreshold = real(0, 1),
                       .decay = real(-4, 0),
                       .sideExtra = flip() ? 0.0f : 1.0f},
        {{0, kRankSlot}}, 5, 5);
    shape.boxType = smallInt(), shape.scoreType = smallInt();
    add("yk_nms_int",
        NmsIntParams{.shape = shape,
                     .scoreThreshold = around(100),
                     .zp = zeroPoint(shape.boxType),
                     .areaShift = int32_t(between(0, 14)),
                     .iouThreshold = int32_t(between(0, 256)),
                     .iouShift = 8},
        {{0, kRankSlot}}, 7, 5);
  }
  bool isFloat = flip();
  NmsEmitParams emit{.batch = batch,
                     .boxes = list.boxes,
                     .classes = list.classes,
                     .capacity = between(1, 200),
                     .boxType = isFloat ? floating() : smallInt(),
                     .scoreType = isFloat ? floating() : smallInt(),
                     .perClassType = wholeNumber(),
                     .indexType = wholeNumber(),
                     .zp = around(100),
                     .scale = int32_t(random.below(65536)),
                     .shift = int32_t(random.below(20)),
                     .lo = -100,
                     .hi = 100};
  emit.outBoxType = emit.boxType;
  add("yk_nms_emit", emit, {}, 4, 4);
}
