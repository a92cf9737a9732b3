//===- PoolVariantOps.h - Further pooling, and its inverse ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Op classes of compass.pooling_3d, adaptive_pool, max_pooling_with_arg_max,
// max_unpool, upsample_by_index and fractional_pool.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_POOL_POOLVARIANTOPS_H
#define YARROW_DIALECTS_COMPASS_POOL_POOLVARIANTOPS_H

#include "dialects/compass/Compass.h"

namespace yarrow::compass {
void registerPoolVariantOps(CompassDialect &dialect);
} // namespace yarrow::compass

#define GET_OP_CLASSES
#include "dialects/compass/pool/PoolVariantOps.h.inc"

#endif // YARROW_DIALECTS_COMPASS_POOL_POOLVARIANTOPS_H
