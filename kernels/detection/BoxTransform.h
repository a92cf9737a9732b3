//===- BoxTransform.h - Boxes moved by deltas, all of them data -*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What Decode.h does where anchors, the images' sizes and which image a box is
// of are tensors of the network.
//
// Kernels: BoxTransform.def.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_DETECTION_BOXTRANSFORM_H
#define YARROW_KERNELS_DETECTION_BOXTRANSFORM_H

#include "kernels/Signature.h"

namespace yarrow::kernels {

/// What the anchors are.
enum class AnchorForm : uint32_t {
  Boxes,   // corners of every box
  Cells,   // corners of the boxes of the first cell of a grid
  Centres, // of each box of an image: both coordinates of the centre, both
           // sides
};

/// Along each of the two axes, in the order that anchors have them:
///   centre + delta * factor * side, side * exp(delta * factor)
/// are the box's centre and side; with sizes of images its corners lie in 0 ..
/// that size. Numbers of images that are none are the nearest one's. Work is
/// split by rows of the result.
///   anchors [boxes, 4], [anchors, 4] or [boxes of an image, 4]
///   deltas  [rows, deltaLength], of which the first four count
///   numbers [boxes]: of each box's image
///   sizes   [images, 2]: of the second axis, of the first
struct BoxTransformParams {
  uint32_t rows = 1;    // of the result, all images'
  uint32_t perBox = 1;  // rows that a box is moved to, one after the other
  uint32_t images = 1;  // that have the same number of boxes; but for Boxes
  uint32_t anchors = 1; // rows of that tensor
  AnchorForm form = AnchorForm::Boxes;
  uint32_t gridColumns = 1;  // Cells
  float strides[2] = {1, 1}; // from cell to cell, along each axis
  uint32_t deltaLength = 4;  // from one row's deltas to the next
  float factors[4] = {1, 1, 1, 1};
};
static_assert(sizeof(BoxTransformParams) == 52);

#define YARROW_KERNELS "kernels/detection/BoxTransform.def"
#include "kernels/DeclareKernels.inc"

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_DETECTION_BOXTRANSFORM_H
