//===- BoxCalls.cpp - Calls that decode boxes -----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "benchmark/kernels/KernelCall.h"

#include <limits>

using namespace yarrow::benchmark;
using namespace yarrow::kernels;

namespace {

constexpr uint32_t kBoxes = 1920;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

void addDecoders(KernelCalls &calls) {
  DecodeShape shape{.rows = {.capacity = kBoxes, .boxes = kBoxes}};
  calls.add<DecodeFloat>(Use::Other, "1920 boxes float32",
                         {.shape = shape,
                          .factors = {0.1f, 0.1f, 0.2f, 0.2f},
                          .mostLog = 4.135f,
                          .mostSize = {kInfinity, kInfinity},
                          .most = {1, 1}},
                         {in(DType::F32, 4 * kBoxes),
                          in(DType::F32, 4 * kBoxes, 0, 1), none(), none(),
                          none(), none(), out(DType::F32, 4 * kBoxes)},
                         kBoxes);

  CallBuffer table = in(DType::I16, 256, 0, 32767);
  shape.deltaType = shape.anchorType = DType::I8, shape.outType = DType::I16;
  DecodeCornersParams corners{.shape = shape,
                              .scales = {145, 145, 20000, 20000, 145},
                              .shifts = {17, 17, 20, 20, 8},
                              .deltaShift = 5,
                              .log2Sizes = {8, 8}};
  calls.add<DecodeCorners>(Use::Other, "1920 boxes int8", corners,
                           {in(DType::I8, 4 * kBoxes),
                            in(DType::I8, 4 * kBoxes), table, table, none(),
                            out(DType::I16, 4 * kBoxes)},
                           kBoxes);
  DecodeProposalsParams proposals{.shape = shape,
                                  .log2Sizes = {8, 8, 8, 8},
                                  .scales = {20000, 20000, 145},
                                  .shifts = {20, 20, 8},
                                  .deltaShifts = {15, 15},
                                  .most = {600, 800}};
  calls.add<DecodeProposals>(Use::Other, "1920 boxes int8", proposals,
                             {in(DType::I8, 4 * kBoxes),
                              in(DType::I8, 4 * kBoxes), table, table, table,
                              table, none(), out(DType::I16, 4 * kBoxes)},
                             kBoxes);
  shape.anchorType = DType::I16;
  CallBuffer anchors = in(DType::I16, kBoxes, 0, 800);
  calls.add<DecodeAnchors>(Use::Other, "1920 boxes int8, anchors int16",
                           {.shape = shape,
                            .log2Sizes = {8, 8, 8, 8},
                            .shift = 14,
                            .leastSize = 0,
                            .most = {600, 800}},
                           {in(DType::I8, 4 * kBoxes), anchors, anchors,
                            anchors, anchors, table, table, table, table,
                            none(), out(DType::I16, 4 * kBoxes)},
                           kBoxes);
}

void addYolo(KernelCalls &calls) {
  RegionShape shape{
      .gridHeight = 13, .gridWidth = 13, .anchors = 5, .classes = 20};
  uint32_t boxes = shape.boxes(), inputs = boxes * shape.width();
  uint32_t scores = boxes * shape.classes;
  BoxRows rows{.capacity = boxes, .boxes = boxes, .classes = shape.classes};
  CallBuffer places = in(DType::I32, boxes, 0, scores - 1);
  calls.add<RegionScoresFloat>(
      Use::Other, "[13, 13, 5, 25] float32", {.shape = shape},
      {in(DType::F32, inputs, -4, 4), out(DType::F32, scores)}, scores);
  calls.add<RegionBoxesFloat>(
      Use::Other, "[13, 13, 5, 25] float32", {.shape = shape, .rows = rows},
      {in(DType::F32, inputs, -4, 4), in(DType::F32, 2 * shape.anchors, 1, 10),
       places, out(DType::F32, 4 * boxes)},
      boxes);
  shape.type = DType::I8;
  calls.add<RegionScoresInt>(
      Use::Other, "[13, 13, 5, 25] int8", {.shape = shape, .threshold = 10},
      {in(DType::I8, inputs), in(DType::U32, 256, 0, 1 << 20),
       in(DType::U16, 256, 0, 32767), out(DType::I32, scores)},
      scores);
  calls.add<RegionBoxesInt>(
      Use::Other, "[13, 13, 5, 25] int8",
      {.shape = shape,
       .rows = rows,
       .cellShifts = {10, 10},
       .gridScales = {2521, 2521},
       .gridShifts = {15, 15},
       .anchorShifts = {8, 8}},
      {in(DType::I8, inputs), in(DType::U16, 2 * shape.anchors, 256, 2560),
       in(DType::I16, 256, 0, 1023), in(DType::U16, 256, 0, 2000), places,
       out(DType::I16, 4 * boxes)},
      boxes);

  constexpr uint32_t classes = 20, perClass = 100, capacity = 4096;
  constexpr uint32_t ofRegion = classes * perClass;
  std::vector<double> labels, fused;
  for (uint32_t c = 0; c < classes; ++c)
    labels.push_back(c);
  // Of each class the boxes of one region, then of the other.
  for (uint32_t i = 0; i < capacity; ++i) {
    uint32_t c = i / (2 * perClass), k = i % (2 * perClass);
    uint32_t box = c * perClass + k % perClass + k / perClass * ofRegion;
    fused.push_back(c < classes ? box : -1.0);
  }
  CallBuffer counts =
      valuesIn(DType::I32, std::vector<double>(classes, perClass));
  CallBuffer numbers = valuesIn(DType::I32, labels);
  CallBuffer classCount = valuesIn(DType::I32, {classes});
  constexpr DType kCount = DType::I32;
  calls.add<RegionFuse>(Use::Other, "2 x 2000 boxes, 20 classes",
                        {.classes = classes,
                         .capacity = capacity,
                         .boxes = {ofRegion, ofRegion},
                         .perClassTypes = {kCount, kCount},
                         .labelTypes = {kCount, kCount},
                         .classCountTypes = {kCount, kCount}},
                        {counts, counts, numbers, numbers, classCount,
                         classCount, out(kCount, capacity),
                         out(kCount, classes), out(kCount, classes),
                         out(kCount, 1)},
                        capacity);
  calls.add<FuseRows>(Use::Other, "4096 rows of 4 int8",
                      {.capacity = capacity,
                       .width = 4,
                       .boxes = {ofRegion, ofRegion},
                       .types = {DType::I8, DType::I8},
                       .outType = DType::I8,
                       .scales = {145, 163},
                       .shifts = {8, 8},
                       .lo = {-128, -128},
                       .hi = {127, 127}},
                      {valuesIn(DType::I32, fused), in(DType::I8, 4 * ofRegion),
                       in(DType::I8, 4 * ofRegion),
                       out(DType::I8, 4 * capacity)},
                      capacity);
}

} // namespace

void KernelCalls::addBoxes() {
  addDecoders(*this);
  addYolo(*this);
}
