//===- ImageOps.h - Sampling, regions of interest, colour spaces ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_IMAGE_IMAGEOPS_H
#define YARROW_DIALECTS_COMPASS_IMAGE_IMAGEOPS_H

#include "dialects/compass/Compass.h"
#include <optional>
#include <utility>

namespace yarrow::compass {
void registerImageOps(CompassDialect &dialect);
} // namespace yarrow::compass

#define GET_OP_CLASSES
#include "dialects/compass/image/ImageOps.h.inc"

namespace yarrow::compass {
/// Whether a float layer has a ratio that is not that of its lengths, because
/// the result's length was rounded down. Integer layers go by the lengths.
bool hasOwnRatio(ResizeOp op);

/// Ratios of height and width, by whichever keys say them; nothing if the size
/// is said.
std::optional<std::pair<double, double>> resizeRatios(ResizeOp op);

/// In how many ways rows and columns of the result lie between the input's.
struct ResizeKinds {
  std::size_t rows, columns;
};
ResizeKinds resizeKinds(ResizeOp op);
} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_IMAGE_IMAGEOPS_H
