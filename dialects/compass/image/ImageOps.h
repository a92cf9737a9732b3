//===- ImageOps.h - Sampling, regions of interest, colour spaces ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_IMAGE_IMAGEOPS_H
#define YARROW_DIALECTS_COMPASS_IMAGE_IMAGEOPS_H

#include "dialects/compass/Compass.h"

namespace yarrow::compass {
void registerImageOps(CompassDialect &dialect);
} // namespace yarrow::compass

#define GET_OP_CLASSES
#include "dialects/compass/image/ImageOps.h.inc"

#endif // YARROW_DIALECTS_COMPASS_IMAGE_IMAGEOPS_H
