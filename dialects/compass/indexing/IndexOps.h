//===- IndexOps.h - Operators that read or write at indices ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Op classes of compass.gather, gather_elements, gather_nd, scatter_elements,
// scatter_nd, slot_update, compress, unique, non_zero, one_hot, shape and
// constant_of_shape.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_INDEXING_INDEXOPS_H
#define YARROW_DIALECTS_COMPASS_INDEXING_INDEXOPS_H

#include "dialects/compass/Compass.h"

namespace yarrow::compass {
void registerIndexOps(CompassDialect &dialect);
} // namespace yarrow::compass

#define GET_OP_CLASSES
#include "dialects/compass/indexing/IndexOps.h.inc"

#endif // YARROW_DIALECTS_COMPASS_INDEXING_INDEXOPS_H
