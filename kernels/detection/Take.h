//===- Take.h - Kernels that move what was chosen ---------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Kernels: Take.def.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_DETECTION_TAKE_H
#define YARROW_KERNELS_DETECTION_TAKE_H

#include "kernels/OrderKeys.h"
#include "kernels/detection/ClassList.h"
#include "kernels/detection/Gather.h"

namespace yarrow::kernels {

/// Row i of the result = the `width` numbers from element box * boxStride +
/// first + class * classStride on, boxes counted over all images; integers
/// ((q + zp) * scale) >> shift within lo and hi. Rows of no place hold `fill`.
/// Work is split by rows.
struct TakeParams {
  BoxRows rows;
  uint32_t width = 1, boxStride = 1, first = 0, classStride = 0;
  DType type = DType::F32, outType = DType::F32;
  int32_t zp = 0, scale = 1, shift = 0, lo = INT32_MIN, hi = INT32_MAX;
  int32_t fill = 0;
};
static_assert(sizeof(TakeParams) == 64);

/// The places themselves, as numbers; those that are none as -1.
struct PlaceNumbersParams {
  uint32_t count = 1;
  DType outType = DType::I32; // any
};
static_assert(sizeof(PlaceNumbersParams) == 8);

/// best[image, box] = the greatest score of classes 1 .. classes - 1, and which
/// it is, the first of equal ones, counted from 0. Scores are [batch, classes,
/// boxes]; vectors run along the boxes. Work is split by chunks of boxes.
struct BestClassParams {
  uint32_t batch = 1, classes = 2, boxes = 1;
  DType type = DType::F32;
};
static_assert(sizeof(BestClassParams) == 16);

/// Rows {class, score, box} of the places, -1 everywhere in those of none.
/// `boxes` has a box for each row, scores and classes one for each box of the
/// image. A score of integers is ((q + zp) * scale) >> shift.
struct ClassRowsParams {
  BoxRows rows;
  DType scoreType = DType::F32, boxType = DType::F32, outType = DType::F32;
  int32_t zp = 0, scale = 1, shift = 0, lo = 0, hi = 0;
};
static_assert(sizeof(ClassRowsParams) == 48);

/// keys[image, row] = the key of the row's score (OrderKeys.h), the least of
/// all if its class (column idIndex, -1: there is none) is negative or a NaN.
struct ValidKeysParams {
  uint32_t rows = 1, width = 1;
  int32_t scoreIndex = 0, idIndex = -1;
  DType type = DType::F32;
};
static_assert(sizeof(ValidKeysParams) == 20);

/// The same of boxes y1, x1, y2, x2 that stand class by class: the least of all
/// for those of no class, and those lower or less wide than minSize.
struct LargeKeysParams {
  ClassList list;
  uint32_t batch = 1;
  DType boxType = DType::F32, scoreType = DType::F32;
  float minSize[2] = {}; // height, width; integers as they are stored
};
static_assert(sizeof(LargeKeysParams) == 36);

/// How many of the places lie in each class, and the labels of the classes that
/// have some, zeros after the last; then their number. One task an image.
struct PlaceClassesParams {
  ClassList list;
  uint32_t batch = 1, capacity = 1;
  uint32_t slots = 1;           // of the results
  DType labelType = DType::I32; // of the labels given; any
  DType outPerClassType = DType::I32, outLabelType = DType::I32,
        outClassCountType = DType::I32; // any
};
static_assert(sizeof(PlaceClassesParams) == 44);

/// places[image, i] = the box that keep[image, i] names: index within the boxes
/// of a class, of which perClass[c] are kept. -1 after the last, and from an
/// index beyond the boxes on to the end of its class. One task an image.
struct KeptPlacesParams {
  uint32_t batch = 1, boxes = 1, classes = 1, kept = 1, capacity = 1;
  DType keepType = DType::I32, perClassType = DType::I32; // any
};
static_assert(sizeof(KeptPlacesParams) == 28);

/// Boxes of y1, x1, y2, x2 to 0..1: floats / divisor, integers RNE((q + zp) *
/// scale / 1024) of even and odd numbers, 0 to 65535.
struct NormalisedParams {
  uint32_t count = 4;
  DType type = DType::F32, outType = DType::F32;
  float divisor = 1;
  int32_t zp = 0, scales[2] = {1, 1}, shifts[2] = {}, lo = 0, hi = 65535;
  int32_t outZp = 0;
};
static_assert(sizeof(NormalisedParams) == 48);

#define YARROW_KERNELS "kernels/detection/Take.def"
#include "kernels/DeclareKernels.inc"

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_DETECTION_TAKE_H
