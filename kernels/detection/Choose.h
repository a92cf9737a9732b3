//===- Choose.h - Kernels that choose boxes by score ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// From scores of boxes and classes to the list of those above a threshold,
// ordered by class, then by box, up to a capacity. Steps: count each block of
// boxes, compute from the counts where each block writes, then write the
// places. Other kernels gather values from these places (Take.h, Decode.h).
//
// Kernels: Choose.def.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_DETECTION_CHOOSE_H
#define YARROW_KERNELS_DETECTION_CHOOSE_H

#include "kernels/OrderKeys.h"
#include "kernels/detection/ClassList.h"

namespace yarrow::kernels {

/// Score of class c of a box: element image * imageStride + first + box *
/// boxStride + c * classStride.
struct ScoreMatrix {
  uint32_t batch = 1, boxes = 1, classes = 1;
  uint32_t imageStride = 0, first = 0, boxStride = 1, classStride = 1;
  DType type = DType::F32;
};
static_assert(sizeof(ScoreMatrix) == 32);

/// Boxes that are counted together.
constexpr uint32_t kBoxBlock = kChunk;
constexpr uint32_t boxBlocks(uint32_t boxes) {
  return (boxes + kBoxBlock - 1) / kBoxBlock;
}

/// Which keys (OrderKeys.h) are chosen: from `least` to `most`, and those equal
/// to `tie` of the first scores, up to number `lastTie` counted box by box. A
/// NaN of a float is not.
struct ScoreCut {
  int32_t least = 0, most = INT32_MAX, tie = 0, lastTie = -1;
};
static_assert(sizeof(ScoreCut) == 16);

/// yk_choose_counts: counts[image, block, class] of scores that are chosen by
/// the threshold, or by the cut of the image where there is one. Work is split
/// by blocks, a strided load, a comparison and a sum for each score.
///
/// yk_choose_places: places[image, i] = box * classes + class, -1 after the
/// last. `starts` is that of yk_choose_starts. Work is split by blocks.
struct ChooseParams {
  ScoreMatrix scores;
  uint32_t capacity = 1;
  int32_t threshold = 0; // as a key
};
static_assert(sizeof(ChooseParams) == 40);

/// The cut of each image: the threshold's, unless more scores than the capacity
/// are chosen. Then the greatest (or the least) of them, of equal ones the
/// first. One task an image; beyond the capacity it reads the scores 33 times.
struct ChooseCutParams {
  ChooseParams choose;
  uint32_t least = 0; // 1: the least scores above the threshold are taken
};
static_assert(sizeof(ChooseCutParams) == 44);

/// From counts to starts[image, block * classes + class], the place of the
/// first, and behind them the number of places in use. The classes that have
/// places are listed: how many each has, and its number; zeros after the last
/// of `slots`, and then the number of classes. One task an image.
struct ChooseStartsParams {
  uint32_t batch = 1, blocks = 1, classes = 1, capacity = 1;
  uint32_t perClassSlots = 1, labelSlots = 1;
  DType perClassType = DType::I32, labelType = DType::I32,
        classCountType = DType::I32; // any
};
static_assert(sizeof(ChooseStartsParams) == 36);

#define YARROW_KERNELS "kernels/detection/Choose.def"
#include "kernels/DeclareKernels.inc"

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_DETECTION_CHOOSE_H
