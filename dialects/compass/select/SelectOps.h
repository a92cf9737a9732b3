//===- SelectOps.h - Candidates sorted, filtered and merged ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_SELECT_SELECTOPS_H
#define YARROW_DIALECTS_COMPASS_SELECT_SELECTOPS_H

#include "dialects/compass/Compass.h"

namespace yarrow::compass {
void registerSelectOps(CompassDialect &dialect);
} // namespace yarrow::compass

#define GET_OP_CLASSES
#include "dialects/compass/select/SelectOps.h.inc"

#endif // YARROW_DIALECTS_COMPASS_SELECT_SELECTOPS_H
