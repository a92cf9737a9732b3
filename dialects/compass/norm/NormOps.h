//===- NormOps.h - Normalizations and softmax -----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Op classes of compass.batch_norm, layer_norm, softmax and their kin.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_NORM_NORMOPS_H
#define YARROW_DIALECTS_COMPASS_NORM_NORMOPS_H

#include "dialects/compass/Compass.h"

namespace yarrow::compass {
void registerNormOps(CompassDialect &dialect);
} // namespace yarrow::compass

#define GET_OP_CLASSES
#include "dialects/compass/norm/NormOps.h.inc"

#endif // YARROW_DIALECTS_COMPASS_NORM_NORMOPS_H
