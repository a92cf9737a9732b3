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

void KernelCaseBuilder::addChoices() {
  uint32_t batch = between(1, 2), boxes = between(1, 150),
           classes = between(1, 4);
  ChooseParams choose{.scores = {.batch = batch,
                                 .boxes = boxes,
                                 .classes = classes,
                                 .imageStride = boxes * classes,
                                 .boxStride = classes,
                                 .type = orderedType()},
                      .capacity = between(1, 200),
                      .threshold = around(100)};
  add("yk_choose_counts", choose);
  choose.scores.type = orderedType();
  add("yk_choose_cut", ChooseCutParams{.choose = choose, .least = flip()});
  add("yk_choose_starts",
      ChooseStartsParams{.batch = batch,
                         .blocks = between(1, 5),
                         .classes = classes,
                         .capacity = between(1, 200),
                         .perClassSlots = between(1, 6),
                         .labelSlots = between(1, 6),
                         .perClassType = wholeNumber(),
                         .labelType = wholeNumber(),
                         .classCountType = wholeNumber()},
      {}, 1, 4);
  // Starts that are noise give one place to several boxes: one writes.
  choose.scores.batch = choose.scores.classes = 1;
  choose.scores.boxes = between(1, kBoxBlock);
  add("yk_choose_places", choose);

  bool isFloat = flip();
  BoxRows rows{batch, between(1, 150), boxes, classes};
  TakeParams take{.rows = rows,
                  .width = between(1, 6),
                  .boxStride = between(1, 6),
                  .type = isFloat ? floating() : smallInt(),
                  .zp = around(100),
                  .scale = int32_t(random.below(65536)),
                  .shift = around(20),
                  .lo = -100,
                  .hi = 100,
                  .fill = -1};
  take.outType = take.type;
  add("yk_take", take);
  add("yk_place_numbers",
      PlaceNumbersParams{.count = between(1, 300), .outType = wholeNumber()});
  add("yk_best_class",
      BestClassParams{.batch = batch,
                      .classes = between(2, 5),
                      .boxes = boxes,
                      .type = flip() ? floating() : smallInt()},
      {}, 1, 2);
  DType rowType = isFloat ? floating() : signedInt();
  add("yk_class_rows",
      ClassRowsParams{.rows = rows,
                      .scoreType = isFloat ? floating() : smallInt(),
                      .boxType = isFloat ? DType::F32 : DType::I32,
                      .outType = rowType,
                      .zp = around(100),
                      .scale = int32_t(random.below(32768)),
                      .shift = int32_t(random.below(20)),
                      .lo = -100,
                      .hi = 100});
  add("yk_valid_keys", ValidKeysParams{.rows = between(1, 300),
                                       .width = 6,
                                       .scoreIndex = 1,
                                       .idIndex = flip() ? 0 : -1,
                                       .type = orderedType()});
  ClassList list{.boxes = boxes, .classes = classes};
  add("yk_large_keys",
      LargeKeysParams{.list = list,
                      .batch = batch,
                      .boxType = flip() ? floating() : smallInt(),
                      .scoreType = flip() ? floating() : smallInt(),
                      .minSize = {real(-1, 1), real(-1, 1)}});
  add("yk_place_classes",
      PlaceClassesParams{.list = list,
                         .batch = batch,
                         .capacity = between(1, 200),
                         .slots = between(1, 5),
                         .labelType = wholeNumber(),
                         .outPerClassType = wholeNumber(),
                         .outLabelType = wholeNumber(),
                         .outClassCountType = wholeNumber()},
      {}, 4, 3);
  add("yk_kept_places", KeptPlacesParams{.batch = batch,
                                         .boxes = boxes,
                                         .classes = classes,
                                         .kept = between(1, 100),
                                         .capacity = between(1, 200),
                                         .keepType = wholeNumber(),
                                         .perClassType = wholeNumber()});
  NormalisedParams normalised{.count = 4 * between(1, 100),
                              .type = isFloat ? floating() : smallInt(),
                              .divisor = 300,
                              .zp = around(100),
                              .scales = {int32_t(random.below(65536)), 7},
                              .shifts = {10, 3}};
  normalised.outType = isFloat ? normalised.type : DType::U16;
  add("yk_normalised_boxes", normalised);
}

void KernelCaseBuilder::addDecoders() {
  DecodeShape shape{
      .rows = {between(1, 2), between(1, 150), between(1, 100), between(1, 4)},
      .anchorsPerImage = flip(),
      .deltasXFirst = flip(),
      .anchorsXFirst = flip(),
      .outXFirst = flip(),
      .deltaType = floating(),
      .anchorType = floating(),
      .outType = floating()};
  shape.deltaClasses = shape.rows.classes;
  DecodeFloatParams decode{.shape = shape,
                           .factors = {0.1f, 0.1f, 0.2f, 0.2f},
                           .mostLog = real(0, 4),
                           .mostSize = {real(1, 3), real(1, 3)},
                           .most = {real(1, 3), real(1, 3)},
                           .sideExtra = flip() ? 0.0f : 1.0f};
  add("yk_decode_float", decode);
  shape.deltaType = smallInt(), shape.anchorType = smallInt();
  shape.outType = DType::I16;
  auto log2Size = [&] { return between(4, 8); };
  DecodeCornersParams corners{.shape = shape,
                              .anchorZp = zeroPoint(shape.anchorType),
                              .deltaZp = zeroPoint(shape.deltaType),
                              .deltaShift = int32_t(between(0, 17)),
                              .log2Sizes = {log2Size(), log2Size()}};
  for (int k = 0; k < 5; ++k) {
    corners.scales[k] = int32_t(random.below(32768));
    corners.shifts[k] = int32_t(random.below(32));
  }
  add("yk_decode_corners", corners);
  DecodeProposalsParams proposals{
      .shape = shape,
      .log2Sizes = {log2Size(), log2Size(), log2Size(), log2Size()},
      .deltaShifts = {int32_t(between(0, 15)), int32_t(between(0, 15))},
      .most = {3000, 2000}};
  for (int k = 0; k < 3; ++k) {
    proposals.scales[k] = int32_t(random.below(32768));
    proposals.shifts[k] = int32_t(random.below(32));
  }
  add("yk_decode_proposals", proposals);
  shape.anchorType = random.of({DType::I16, DType::I32});
  DecodeAnchorsParams anchors{
      .shape = shape,
      .log2Sizes = {log2Size(), log2Size(), log2Size(), log2Size()},
      .tableType = random.of({DType::I16, DType::I32}),
      .shift = int32_t(between(0, 20)),
      .leastSize = flip() ? 0 : INT32_MIN,
      .most = {3000, 2000},
      .corners = random.of({CornerForm::FloorHalf, CornerForm::EvenHalf,
                            CornerForm::TruncHalf})};
  add("yk_decode_anchors", anchors);

  RegionShape region{.batch = between(1, 2),
                     .gridHeight = between(1, 4),
                     .gridWidth = between(1, 4),
                     .anchors = between(1, 3),
                     .classes = between(1, 20),
                     .type = floating()};
  BoxRows rows{region.batch, between(1, 150), region.boxes(), region.classes};
  add("yk_region_scores_float", RegionScoresFloatParams{region});
  add("yk_region_boxes_float", RegionBoxesFloatParams{.shape = region,
                                                      .rows = rows,
                                                      .offset = 0.5f,
                                                      .outType = floating()});
  region.type = smallInt();
  add("yk_region_scores_int",
      RegionScoresIntParams{.shape = region,
                            .log2Exp = log2Size(),
                            .log2Sigmoid = log2Size(),
                            .threshold = int32_t(random.below(255))});
  add("yk_region_boxes_int",
      RegionBoxesIntParams{.shape = region,
                           .rows = rows,
                           .log2Sigmoid = log2Size(),
                           .log2Exp = log2Size(),
                           .cellShifts = {13, 14},
                           .gridScales = {int32_t(random.below(32768)), 9000},
                           .gridShifts = {15, int32_t(random.below(20))},
                           .anchorShifts = {15, int32_t(random.below(20))},
                           .expScale = int32_t(random.below(32768)),
                           .expShift = int32_t(random.below(12))});
  RegionFuseParams fuse{.batch = between(1, 2),
                        .classes = between(1, 5),
                        .capacity = between(1, 100),
                        .boxes = {between(1, 50), between(1, 50)}};
  for (int r = 0; r < 2; ++r) {
    fuse.perClassTypes[r] = wholeNumber(), fuse.labelTypes[r] = wholeNumber();
    fuse.classCountTypes[r] = wholeNumber();
  }
  add("yk_region_fuse", fuse, {}, 6, 4);
  bool isFloat = flip();
  FuseRowsParams fused{.batch = fuse.batch,
                       .capacity = fuse.capacity,
                       .width = flip() ? 4u : 1u,
                       .boxes = {fuse.boxes[0], fuse.boxes[1]},
                       .outType = isFloat ? floating() : smallInt(),
                       .scales = {int32_t(random.below(256)), 200},
                       .shifts = {around(10), 8},
                       .lo = {-100, -90},
                       .hi = {100, 90}};
  for (DType &type : fused.types)
    type = isFloat ? floating() : smallInt();
  add("yk_fuse_rows", fused);
}
