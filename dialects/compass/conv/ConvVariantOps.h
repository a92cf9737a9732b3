//===- ConvVariantOps.h - Further sums over windows ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Op classes of compass.conv_transpose, conv_transpose_3d, convolution_3d,
// conv_integer, matmul_integer, dilation and erosion.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_CONV_CONVVARIANTOPS_H
#define YARROW_DIALECTS_COMPASS_CONV_CONVVARIANTOPS_H

#include "dialects/compass/Compass.h"

namespace yarrow::compass {
void registerConvVariantOps(CompassDialect &dialect);
} // namespace yarrow::compass

#define GET_OP_CLASSES
#include "dialects/compass/conv/ConvVariantOps.h.inc"

#endif // YARROW_DIALECTS_COMPASS_CONV_CONVVARIANTOPS_H
