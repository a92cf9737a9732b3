//===- ReduceOps.h - Reductions -------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Op classes of compass.reduce and compass.resize.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_REDUCE_REDUCEOPS_H
#define YARROW_DIALECTS_COMPASS_REDUCE_REDUCEOPS_H

#include "dialects/compass/Compass.h"

namespace yarrow::compass {
void registerReduceOps(CompassDialect &dialect);
} // namespace yarrow::compass

#define GET_OP_CLASSES
#include "dialects/compass/reduce/ReduceOps.h.inc"

#endif // YARROW_DIALECTS_COMPASS_REDUCE_REDUCEOPS_H
