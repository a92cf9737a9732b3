//===- PoolOps.h - Pooling ------------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Op classes of the pooling layers and their inverses.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_POOL_POOLOPS_H
#define YARROW_DIALECTS_COMPASS_POOL_POOLOPS_H

#include "dialects/compass/Compass.h"

namespace yarrow::compass {
void registerPoolOps(CompassDialect &dialect);
} // namespace yarrow::compass

#define GET_OP_CLASSES
#include "dialects/compass/pool/PoolOps.h.inc"

#endif // YARROW_DIALECTS_COMPASS_POOL_POOLOPS_H
