//===- NnapiCalls.cpp - Calls of the kernels that NNAPI needs -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Lists of boxes have the size of a region network's, of which some stay.
//
//===----------------------------------------------------------------------===//
#include "benchmark/kernels/KernelCall.h"

using namespace yarrow::benchmark;
using namespace yarrow::kernels;

namespace {

constexpr uint32_t kBoxes = 1920, kClasses = 21, kGroups = kClasses - 1,
                   kPerGroup = kBoxes / kGroups, kKept = 48;

void addMoves(KernelCalls &calls) {
  std::vector<double> anchors, numbers;
  for (uint32_t i = 0; i < kBoxes; ++i) {
    double y = i % 40 * 8, x = i / 40 * 8;
    anchors.insert(anchors.end(), {x, y, x + 24, y + 16});
    numbers.push_back(i * 4 / kBoxes);
  }
  calls.add<BoxTransform>(
      Use::Other, "1920 boxes of 4 images",
      {.rows = kBoxes, .images = 4, .anchors = kBoxes},
      {valuesIn(DType::F32, anchors), in(DType::F32, 4 * kBoxes),
       valuesIn(DType::I32, numbers), in(DType::F32, 8, 200, 300),
       out(DType::F32, 4 * kBoxes)},
      kBoxes);
  calls.add<BoxGroups>(
      Use::Other, "1920 boxes, 20 classes",
      {.boxes = kBoxes, .classes = kClasses},
      {in(DType::F32, kBoxes * kClasses), in(DType::F32, 4 * kBoxes * kClasses),
       valuesIn(DType::I32, numbers), out(DType::F32, kBoxes * kGroups),
       out(DType::F32, 4 * kBoxes * kGroups),
       out(DType::I32, kBoxes * kGroups)},
      kBoxes * kGroups);
}

/// Of each class 48 of 96 boxes, of which a half stays.
void addRows(KernelCalls &calls) {
  constexpr uint32_t rows = kGroups * kKept / 2;
  std::vector<double> lists, kept(kBoxes), scores(kBoxes);
  for (uint32_t c = 0; c < kGroups; ++c) {
    double first = c * kPerGroup;
    lists.insert(lists.end(), {first, kKept, first});
    for (uint32_t k = 0; k < kKept; ++k) {
      kept[c * kPerGroup + k] = first + 2 * k;
      scores[c * kPerGroup + k] = 1 - (k * kGroups + c) / 1000.0;
    }
  }
  GroupLists shape{.boxes = kBoxes, .groups = kGroups, .perBlock = kGroups};
  CallBuffer list = valuesIn(DType::I32, lists),
             place = valuesIn(DType::I32, kept),
             score = valuesIn(DType::F32, scores);
  calls.add<LimitGroups>(Use::Other, "480 of 960 boxes, 20 classes",
                         {shape, rows}, {list, score, out(DType::I32, kGroups)},
                         rows * kGroups);
  calls.add<GroupRows>(
      Use::Other, "480 of 960 boxes, 20 classes",
      {.lists = shape, .capacity = rows},
      {in(DType::F32, 4 * kBoxes), list, place, score,
       valuesIn(DType::I32, std::vector<double>(kGroups, kKept / 2)), none(),
       out(DType::F32, rows), out(DType::F32, 4 * rows), out(DType::I32, rows),
       out(DType::I32, rows), out(DType::I32, 1)},
      rows);
  calls.add<BestRows>(Use::Other, "480 of 960 boxes, 20 classes",
                      {.lists = shape, .capacity = rows},
                      {in(DType::F32, 4 * kBoxes), list, place, score, none(),
                       out(DType::I32, kGroups), out(DType::F32, rows),
                       out(DType::F32, 4 * rows), out(DType::I32, rows),
                       out(DType::I32, 1)},
                      rows * kGroups);
}

} // namespace

void KernelCalls::addImageBoxes() {
  addMoves(*this);
  addRows(*this);
  constexpr uint32_t boxes = 8, size = 28, maps = 17;
  add<Keypoint>(
      Use::Other, "17 maps of 28 x 28 of 8 boxes", {boxes, size, maps},
      {in(DType::F32, boxes * size * size * maps), in(DType::F32, 4 * boxes),
       out(DType::F32, boxes * maps), out(DType::F32, 2 * boxes * maps)},
      boxes * size * size * maps);
  constexpr uint32_t functions = 8, bits = 8, items = 64, itemBytes = 32;
  add<Projection>(Use::Other, "64 bits of 64 items of 32 bytes",
                  {functions, bits, items, itemBytes},
                  {in(DType::F32, functions * bits),
                   in(DType::U8, items * itemBytes), none(),
                   out(DType::I32, functions * bits)},
                  functions * bits * items * (itemBytes + 4));
  constexpr uint32_t classes = 1024, samples = 128;
  add<Multinomial>(Use::Other, "128 of 1024 classes", {1, classes, samples},
                   {in(DType::F32, classes, 0, 1), in(DType::I32, 2, 1, 99),
                    out(DType::I32, samples)},
                   classes * samples / 2);
}
