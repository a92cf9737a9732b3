//===- NormalizeOps.h - Normalisations without a kernel -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Op classes of compass.group_norm, lrn, log_softmax and their kin.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_NORMALIZE_NORMALIZEOPS_H
#define YARROW_DIALECTS_COMPASS_NORMALIZE_NORMALIZEOPS_H

#include "dialects/compass/Compass.h"

namespace yarrow::compass {
void registerNormalizeOps(CompassDialect &dialect);
} // namespace yarrow::compass

#define GET_OP_CLASSES
#include "dialects/compass/normalize/NormalizeOps.h.inc"

#endif // YARROW_DIALECTS_COMPASS_NORMALIZE_NORMALIZEOPS_H
