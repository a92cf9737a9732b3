//===- Nms.h - Kernels of non-maximum suppression ---------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Four steps (docs/operators/select.md, NMS): the boxes that count become
// entries, which are sorted (Rank.h); class by class boxes are kept or dropped;
// those that are kept are written one after the other.
//
// Kernels: Nms.def.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_DETECTION_NMS_H
#define YARROW_KERNELS_DETECTION_NMS_H

#include "kernels/OrderKeys.h"
#include "kernels/detection/ClassList.h"

namespace yarrow::kernels {

/// entries[image, i]: box i, in the group of its class if its score is greater
/// than the threshold, else in none. A NaN is greater than nothing. Work is
/// split by boxes, a load, a comparison and three stores each.
struct NmsCandidatesParams {
  ClassList list;
  uint32_t batch = 1;
  DType scoreType = DType::F32;
  int32_t threshold = 0; // as a key of OrderKeys.h
};
static_assert(sizeof(NmsCandidatesParams) == 28);

enum class NmsMethod : uint32_t { Hard, Gaussian, Linear };

/// What both kernels that suppress are told. A class gives up to `most` boxes
/// out of its first `considered` candidates; boxes with a side of no more than
/// minSize are none.
///
/// Hard: a box is dropped if its overlap with one that is kept exceeds the
/// threshold. Gaussian and Linear: its score decays by each one that is kept,
/// and the boxes are ranked anew.
///
/// A box that is looked at is compared with those that are kept, as vectors
/// (kernels/registry/Work.def), until one drops it. Work is split by classes of
/// images.
/// Outputs of a class lie where its candidates do:
///   lists[image, c]     {first, kept, first box of the class}
///   kept[image, i]      box of the image
///   keptScores, corners (5 planes of each image: y1 x1 y2 x2 area)
///   heap                {next kept box to compare, score, box}; soft only
struct NmsShape {
  ClassList list;
  uint32_t batch = 1;
  uint32_t most = 1, considered = ~0u;
  NmsMethod method = NmsMethod::Hard;
  uint32_t isCentred = 0; // boxes are y, x, h, w, not corners
  DType boxType = DType::F32, scoreType = DType::F32;
};
static_assert(sizeof(NmsShape) == 44);

/// Overlap = intersection / union, a comparison with NaN being false: boxes
/// with a NaN, or two without area, do not overlap.
struct NmsFloatParams {
  NmsShape shape;
  float scoreThreshold = 0, iouThreshold = 0;
  float decay = 0;     // Gaussian: score * exp(decay * iou^2)
  float sideExtra = 0; // sides are hi - lo + sideExtra
  float minSize = -1;
};
static_assert(sizeof(NmsFloatParams) == 64);

/// Areas are shifted right. They overlap if inter > (union * iouThreshold) >>
/// iouShift. Gaussian: u = inter * (levels - 1) / union, score = score *
/// factors[u] >> shifts[u]; Linear: score * (levels - 1 - u) / (levels - 1) if
/// they overlap. A side has at most 19 bits, so that products fit 64 bits;
/// areas are limited to 30.
struct NmsIntParams {
  NmsShape shape;
  int32_t scoreThreshold = 0;
  int32_t zp = 0; // of the boxes
  int32_t areaShift = 0, iouThreshold = 0, iouShift = 0;
  uint32_t levels = 256;
  int32_t minSize = -1;
};
static_assert(sizeof(NmsIntParams) == 72);

/// Of each class the boxes that are kept, class by class, as far as the
/// capacity goes; zeros after the last. Work is split by rows of the result.
/// Boxes of integers are ((q + zp) * scale) >> shift, without a zero point.
struct NmsEmitParams {
  uint32_t batch = 1, boxes = 1, classes = 1, capacity = 1;
  DType boxType = DType::F32, outBoxType = DType::F32;
  DType scoreType = DType::F32;                            // of the result
  DType perClassType = DType::I32, indexType = DType::I32; // any
  int32_t zp = 0, scale = 1, shift = 0;
  int32_t lo = 0, hi = 0; // of a box
};
static_assert(sizeof(NmsEmitParams) == 56);

#define YARROW_KERNELS "kernels/detection/Nms.def"
#include "kernels/DeclareKernels.inc"

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_DETECTION_NMS_H
