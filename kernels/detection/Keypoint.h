//===- Keypoint.h - Kernel of the peaks of heatmaps -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Kernels: Keypoint.def.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_DETECTION_KEYPOINT_H
#define YARROW_KERNELS_DETECTION_KEYPOINT_H

#include "kernels/Signature.h"

namespace yarrow::kernels {

/// Of each heatmap of each box, [boxes, size, size, maps] with a size of at
/// least 2, the peak between the cells: with g and H the gradient and the
/// second differences at the greatest cell c (beyond an edge stands what is as
/// far on this side of it), d = -H^-1 g, shortened so that no part exceeds 1.5;
///   score = c + g d + d H d / 2, place = box + (cell + 0.5 + d) * side / size
/// H that is as good as singular: d = 0. Of equal cells the first. Sums are
/// double. Work is split by heatmaps.
struct KeypointParams {
  uint32_t boxes = 1, size = 2, maps = 1;
};
static_assert(sizeof(KeypointParams) == 12);

#define YARROW_KERNELS "kernels/detection/Keypoint.def"
#include "kernels/DeclareKernels.inc"

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_DETECTION_KEYPOINT_H
