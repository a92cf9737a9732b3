//===- MovementOps.h - Operators that move values ---------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Op classes of compass.concat, split, slice, pad, reshape, transpose.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_MOVEMENT_MOVEMENTOPS_H
#define YARROW_DIALECTS_COMPASS_MOVEMENT_MOVEMENTOPS_H

#include "dialects/compass/Compass.h"

namespace yarrow::compass {
void registerMovementOps(CompassDialect &dialect);
} // namespace yarrow::compass

#define GET_OP_CLASSES
#include "dialects/compass/movement/MovementOps.h.inc"

#endif // YARROW_DIALECTS_COMPASS_MOVEMENT_MOVEMENTOPS_H
