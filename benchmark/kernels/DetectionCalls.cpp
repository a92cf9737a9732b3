//===- DetectionCalls.cpp - Calls that choose, sort and suppress boxes ----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Sizes are those of SSD: some 1900 boxes of 20 classes. Lists are those that
// the kernels before would have made.
//
//===----------------------------------------------------------------------===//
#include "benchmark/kernels/KernelCall.h"

using namespace yarrow::benchmark;
using namespace yarrow::kernels;

namespace {

constexpr uint32_t kBoxes = 1920, kClasses = 20, kRows = 4096;
/// A number that differs enough from that of i + 1.
uint32_t scattered(uint32_t i) { return i * 2654435761u >> 16; }

constexpr int32_t kThreshold = 100;

/// Of boxes and classes, about one of 80 above the threshold; how many in each
/// block of boxes, and where its places begin.
struct ChosenScores {
  std::vector<double> scores, counts, starts;
  uint32_t blocks = boxBlocks(kBoxes);

  ChosenScores() {
    counts.resize(blocks * kClasses);
    for (uint32_t i = 0; i < kBoxes * kClasses; ++i) {
      uint32_t number = scattered(i);
      bool isChosen = number % 80 == 0;
      scores.push_back(isChosen ? 101 + number % 27 : number % 100);
      counts[i / kClasses / kBoxBlock * kClasses + i % kClasses] += isChosen;
    }
    starts.resize(counts.size() + 1);
    double next = 0;
    for (uint32_t c = 0; c < kClasses; ++c)
      for (uint32_t block = 0; block < blocks; ++block) {
        starts[block * kClasses + c] = next;
        next += counts[block * kClasses + c];
      }
    starts.back() = next;
  }
};

void addChoices(KernelCalls &calls) {
  ChosenScores chosen;
  ChooseParams choose{.scores = {.boxes = kBoxes,
                                 .classes = kClasses,
                                 .imageStride = kBoxes * kClasses,
                                 .boxStride = kClasses,
                                 .type = DType::I8},
                      .capacity = 1000,
                      .threshold = kThreshold};
  CallBuffer scores = valuesIn(DType::I8, chosen.scores);
  CallBuffer counts = valuesIn(DType::I32, chosen.counts);
  constexpr uint64_t units = kBoxes * kClasses;
  calls.add<ChooseCounts>(Use::Other, "1920 boxes, 20 classes int8", choose,
                          {scores, none(), out(DType::I32, counts.count)},
                          units);
  calls.add<ChoosePlaces>(Use::Other, "1920 boxes, 20 classes int8", choose,
                          {scores, none(), valuesIn(DType::I32, chosen.starts),
                           out(DType::I32, choose.capacity)},
                          units);
  choose.capacity = 200;
  calls.add<ChooseCut>(Use::Other, "200 of 1920 boxes, 20 classes int8",
                       {.choose = choose}, {scores, counts, out(DType::I32, 4)},
                       units);
  constexpr uint32_t classes = 90, cells = 15 * classes;
  calls.add<ChooseStarts>(Use::Other, "15 blocks, 90 classes",
                          {.blocks = 15,
                           .classes = classes,
                           .capacity = 2000,
                           .perClassSlots = classes,
                           .labelSlots = classes},
                          {in(DType::I32, cells, 0, 1),
                           out(DType::I32, cells + 1), out(DType::I32, classes),
                           out(DType::I32, classes), out(DType::I32, 1)},
                          cells);
}

/// Entries as the candidates are: class by class, with keys in no order; or
/// runs that are sorted.
std::vector<double> entries(uint32_t run) {
  std::vector<double> values;
  for (uint32_t i = 0; i < kBoxes; ++i) {
    uint32_t place = i % run;
    uint32_t group = run > 1 ? place * kClasses / run : i * kClasses / kBoxes;
    uint32_t key =
        run > 1 ? 8 * (run - place) + scattered(i) % 8 : scattered(i);
    values.insert(values.end(), {double(group), double(key), double(i)});
  }
  return values;
}

/// In each class boxes in pairs that overlap, the pairs apart from each other:
/// y1, x1, y2, x2.
std::vector<double> boxPairs(uint32_t perClass) {
  std::vector<double> values;
  for (uint32_t i = 0; i < kBoxes; ++i) {
    uint32_t pair = i % perClass / 2, shift = i % 2 * 2;
    uint32_t row = pair / 8, column = pair % 8;
    double y = row * 40 + shift, x = column * 30 + shift;
    values.insert(values.end(), {y, x, y + 24, x + 24});
  }
  return values;
}

void addSuppression(KernelCalls &calls) {
  constexpr uint32_t perClass = kBoxes / kClasses, keptOfClass = perClass / 2;
  constexpr uint32_t kept = kClasses * keptOfClass, run = 512;
  ClassList list{.boxes = kBoxes, .classes = kClasses};
  CallBuffer counts =
      valuesIn(DType::I32, std::vector<double>(kClasses, perClass));
  CallBuffer classCount = valuesIn(DType::I32, {kClasses});
  calls.add<NmsCandidates>(
      Use::Other, "1920 boxes, 20 classes int8",
      {.list = list, .scoreType = DType::I8},
      {in(DType::I8, kBoxes), counts, classCount, out(DType::I32, 3 * kBoxes)},
      kBoxes);
  calls.add<RankRuns>(
      Use::Other, "1920 entries, runs of 16",
      {.count = kBoxes, .run = kRankRun},
      {valuesIn(DType::I32, entries(1)), out(DType::I32, 3 * kBoxes)}, kBoxes);
  calls.add<RankMerge>(
      Use::Other, "1920 entries, runs of 512", {.count = kBoxes, .run = run},
      {valuesIn(DType::I32, entries(run)), out(DType::I32, 3 * kBoxes)},
      kBoxes);

  // Sorted already. The second of each pair is compared with the first, the
  // last one that was kept, so that every box meets all that are kept before.
  std::vector<double> sorted, scores, lists, keptBoxes(kBoxes);
  for (uint32_t i = 0; i < kBoxes; ++i) {
    scores.push_back(120 - double(i % perClass));
    uint32_t ofClass = i / perClass;
    sorted.insert(sorted.end(), {double(ofClass), scores[i], double(i)});
  }
  for (uint32_t c = 0; c < kClasses; ++c) {
    double first = c * perClass;
    lists.insert(lists.end(), {first, keptOfClass, first});
    for (uint32_t k = 0; k < keptOfClass; ++k)
      keptBoxes[c * perClass + k] = first + 2 * k;
  }
  constexpr uint64_t pairs = uint64_t(kClasses) * keptOfClass * keptOfClass;
  NmsShape shape{.list = list, .most = perClass};
  auto buffers = [&](DType boxType, DType scoreType, DType outType) {
    return std::vector<CallBuffer>{valuesIn(DType::I32, sorted),
                                   valuesIn(boxType, boxPairs(perClass)),
                                   valuesIn(scoreType, scores),
                                   counts,
                                   classCount,
                                   out(DType::I32, 3 * kClasses),
                                   out(DType::I32, kBoxes),
                                   out(outType, kBoxes),
                                   out(outType, 5 * kBoxes),
                                   out(DType::I32, 3)};
  };
  calls.add<NmsFloat>(Use::Other, "48 of 96 boxes, 20 classes float32",
                      {.shape = shape, .iouThreshold = 0.5f},
                      buffers(DType::F32, DType::F32, DType::F32), pairs);
  shape.boxType = DType::U8, shape.scoreType = DType::I8;
  std::vector<CallBuffer> integers = buffers(DType::U8, DType::I8, DType::I32);
  integers.insert(integers.begin() + 5, {none(), none()});
  calls.add<NmsInt>(Use::Other, "48 of 96 boxes, 20 classes int8",
                    {.shape = shape, .iouThreshold = 128, .iouShift = 8},
                    integers, pairs);
  calls.add<NmsEmit>(Use::Other, "960 of 1920 boxes, int8",
                     {.boxes = kBoxes,
                      .classes = kClasses,
                      .capacity = kept,
                      .boxType = DType::U8,
                      .outBoxType = DType::U8,
                      .scoreType = DType::I8,
                      .scale = 145,
                      .shift = 7,
                      .hi = 255},
                     {in(DType::U8, 4 * kBoxes), valuesIn(DType::I32, lists),
                      valuesIn(DType::I32, keptBoxes),
                      in(DType::I32, kBoxes, 0, 127), out(DType::U8, 4 * kept),
                      out(DType::I32, kClasses), out(DType::I8, kept),
                      out(DType::I32, kept)},
                     kept);
}

void addTaking(KernelCalls &calls) {
  BoxRows rows{.capacity = kRows, .boxes = kBoxes, .classes = kClasses};
  CallBuffer places = in(DType::I32, kRows, 0, kBoxes * kClasses - 1);
  calls.add<Take>(
      Use::Other, "4096 of 1920 boxes, int8",
      {.rows = rows,
       .width = 4,
       .boxStride = 4,
       .type = DType::I8,
       .outType = DType::I8,
       .zp = 3,
       .scale = 145,
       .shift = 8,
       .lo = -128,
       .hi = 127},
      {in(DType::I8, 4 * kBoxes), places, out(DType::I8, 4 * kRows)}, kRows);
  calls.add<PlaceNumbers>(Use::Other, "4096 int32", {.count = kRows},
                          {places, out(DType::I32, kRows)}, kRows);
  constexpr uint32_t boxes = 3072;
  calls.add<BestClass>(Use::Other, "21 classes of 3072 boxes, int8",
                       {.classes = 21, .boxes = boxes, .type = DType::I8},
                       {in(DType::I8, 21 * boxes), out(DType::I8, boxes),
                        out(DType::I32, boxes)},
                       20 * boxes);
  calls.add<ClassRows>(
      Use::Other, "4096 rows of 6 int8",
      {.rows = rows,
       .scoreType = DType::I8,
       .boxType = DType::I32,
       .outType = DType::I8,
       .zp = 3,
       .scale = 145,
       .shift = 8,
       .lo = -128,
       .hi = 127},
      {places, in(DType::I8, kBoxes), in(DType::I32, kBoxes, 0, 19),
       in(DType::I32, 4 * kRows, 0, 127), out(DType::I8, 6 * kRows)},
      kRows);
  calls.add<ValidKeys>(Use::Other, "4096 rows of 6 int8",
                       {.rows = kRows,
                        .width = 6,
                        .scoreIndex = 1,
                        .idIndex = 0,
                        .type = DType::I8},
                       {in(DType::I8, 6 * kRows), out(DType::I32, kRows)},
                       kRows);

  constexpr uint32_t perClass = 200, used = kClasses * perClass;
  ClassList list{.boxes = kRows, .classes = kClasses};
  CallBuffer counts =
      valuesIn(DType::I32, std::vector<double>(kClasses, perClass));
  CallBuffer classCount = valuesIn(DType::I32, {kClasses});
  calls.add<LargeKeys>(Use::Other, "4096 boxes, 20 classes int8",
                       {.list = list,
                        .boxType = DType::I8,
                        .scoreType = DType::I8,
                        .minSize = {4, 4}},
                       {in(DType::I8, 4 * kRows), in(DType::I8, kRows), counts,
                        classCount, out(DType::I32, kRows)},
                       kRows);
  // All boxes in use are taken; each class keeps its first ones.
  std::vector<double> taken, kept;
  for (uint32_t i = 0; i < kRows; ++i)
    taken.push_back(i < used ? i : -1);
  for (uint32_t i = 0; i < used; ++i)
    kept.push_back(i % perClass);
  calls.add<PlaceClasses>(Use::Other, "4096 places, 20 classes",
                          {.list = list, .capacity = kRows, .slots = kClasses},
                          {valuesIn(DType::I32, taken), counts, classCount,
                           in(DType::I32, kClasses, 0, 90),
                           out(DType::I32, kClasses), out(DType::I32, kClasses),
                           out(DType::I32, 1)},
                          kRows);
  calls.add<KeptPlaces>(
      Use::Other, "4000 of 4096 places, 20 classes",
      {.boxes = kRows, .classes = kClasses, .kept = used, .capacity = kRows},
      {valuesIn(DType::I32, kept), counts, out(DType::I32, kRows)}, kRows);
  calls.add<Normalised>(Use::Other, "4096 boxes, int8 to uint8",
                        {.count = 4 * kRows,
                         .type = DType::I8,
                         .outType = DType::U8,
                         .zp = 128,
                         .scales = {145, 163},
                         .shifts = {8, 8},
                         .hi = 255},
                        {in(DType::I8, 4 * kRows), out(DType::U8, 4 * kRows)},
                        4 * kRows);
}

} // namespace

void KernelCalls::addDetections() {
  addChoices(*this);
  addSuppression(*this);
  addTaking(*this);
}
