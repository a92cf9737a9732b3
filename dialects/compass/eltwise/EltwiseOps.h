//===- EltwiseOps.h - Arithmetic on two tensors ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Op classes of compass.eltwise, add, div, mod and their kin.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_ELTWISE_ELTWISEOPS_H
#define YARROW_DIALECTS_COMPASS_ELTWISE_ELTWISEOPS_H

#include "dialects/compass/Compass.h"
#include "dialects/compass/eltwise/BinaryFunction.h"

namespace yarrow::compass {
void registerEltwiseOps(CompassDialect &dialect);
} // namespace yarrow::compass

#define GET_OP_CLASSES
#include "dialects/compass/eltwise/EltwiseOps.h.inc"

#endif // YARROW_DIALECTS_COMPASS_ELTWISE_ELTWISEOPS_H
