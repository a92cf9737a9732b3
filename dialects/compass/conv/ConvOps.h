//===- ConvOps.h - Convolutions and matrix products -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Op classes of convolutions, matrix products and morphology.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_CONV_CONVOPS_H
#define YARROW_DIALECTS_COMPASS_CONV_CONVOPS_H

#include "dialects/compass/Compass.h"

namespace yarrow::compass {
void registerConvOps(CompassDialect &dialect);
} // namespace yarrow::compass

#define GET_OP_CLASSES
#include "dialects/compass/conv/ConvOps.h.inc"

#endif // YARROW_DIALECTS_COMPASS_CONV_CONVOPS_H
