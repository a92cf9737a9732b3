//===- Region.h - Kernels of YOLO's Region layers ---------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Region (docs/operators/detect.md) and RegionFuse (docs/operators/select.md).
//
// Kernels: Region.def.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_DETECTION_REGION_H
#define YARROW_KERNELS_DETECTION_REGION_H

#include "kernels/Signature.h"
#include "kernels/detection/ClassList.h"
#include "kernels/detection/Gather.h"

namespace yarrow::kernels {

/// Predictions x, y, w, h, objectness and a score for each class of every box
/// of every cell.
struct RegionShape {
  uint32_t batch = 1, gridHeight = 1, gridWidth = 1, anchors = 1, classes = 1;
  DType type = DType::F32;

  uint32_t boxes() const { return gridHeight * gridWidth * anchors; }
  uint32_t width() const { return 5 + classes; }
};
static_assert(sizeof(RegionShape) == 24);

/// scores[box, class] = sigmoid(objectness) * softmax(classes). Work is split
/// by boxes; vectors run along the classes, which are read twice.
struct RegionScoresFloatParams {
  RegionShape shape;
};
static_assert(sizeof(RegionScoresFloatParams) == 24);

/// With e = table[q - max] and their sum: c = (e * sigmoid) >> confShift, 0
/// unless it is more than (sum * threshold) >> 8; score = c * most / sum. A sum
/// is at most 2^20 * classes.
struct RegionScoresIntParams {
  RegionShape shape;
  uint32_t log2Exp = 8, log2Sigmoid = 8; // of the tables
  int32_t confShift = 15, threshold = 0, most = 255;
};
static_assert(sizeof(RegionScoresIntParams) == 44);

/// x = (sigmoid(x) + column - offset) / gridWidth, w = exp(w) * anchor width /
/// gridWidth, likewise y and h; corners y1, x1, y2, x2 within 0 to 1. Work is
/// split by rows of the result.
struct RegionBoxesFloatParams {
  RegionShape shape;
  BoxRows rows;
  float offset = 0;
  DType outType = DType::F32;
};
static_assert(sizeof(RegionBoxesFloatParams) == 48);

/// The same in fixed point:
///   x = (((column << cellShift) + table[x]) * gridScale) >> gridShift
///   w = (((anchor * gridScale) >> gridShift) *
///        ((table[w] * expScale) >> expShift)) >> anchorShift
/// with corners x -+ (w >> 1) from 0 to 2^cellShift. Products wrap at 32 bits
/// as those of the reference, which makes boxes far wider than the image come
/// out wrong. Entries of the arrays: height, width.
struct RegionBoxesIntParams {
  RegionShape shape;
  BoxRows rows;
  uint32_t log2Sigmoid = 8, log2Exp = 8;
  int32_t cellShifts[2] = {}, gridScales[2] = {}, gridShifts[2] = {},
          anchorShifts[2] = {};
  int32_t expScale = 1, expShift = 0;
  DType outType = DType::I16;
};
static_assert(sizeof(RegionBoxesIntParams) == 92);

/// What two regions have found, merged: labels in rising order, of each class
/// the boxes of region 1, then of region 2, as far as the capacity goes. places
/// has box i of region 1 as i, that of region 2 as boxes1 + i, -1 after the
/// last. Of a label that stands twice in a list the first counts. One task an
/// image; labels^2 comparisons.
struct RegionFuseParams {
  uint32_t batch = 1, classes = 1, capacity = 1;
  uint32_t boxes[2] = {1, 1};
  DType perClassTypes[2] = {}, labelTypes[2] = {}, classCountTypes[2] = {};
  DType outPerClassType = DType::I32, outLabelType = DType::I32,
        outClassCountType = DType::I32;
};
static_assert(sizeof(RegionFuseParams) == 56);

/// Rows of `width` numbers from the region that a place names; integers
/// ((q * scale) >> shift) within lo and hi of their region, zeros for no place.
/// Work is split by rows.
struct FuseRowsParams {
  uint32_t batch = 1, capacity = 1, width = 1;
  uint32_t boxes[2] = {1, 1};
  DType types[2] = {}, outType = DType::F32;
  int32_t scales[2] = {1, 1}, shifts[2] = {}, lo[2] = {}, hi[2] = {};
};
static_assert(sizeof(FuseRowsParams) == 64);

#define YARROW_KERNELS "kernels/detection/Region.def"
#include "kernels/DeclareKernels.inc"

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_DETECTION_REGION_H
