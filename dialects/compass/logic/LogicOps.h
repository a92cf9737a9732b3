//===- LogicOps.h - Bits, truth values and choices ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Op classes of compass.bitwise, logical, where and their kin.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_LOGIC_LOGICOPS_H
#define YARROW_DIALECTS_COMPASS_LOGIC_LOGICOPS_H

#include "dialects/compass/Compass.h"
#include "dialects/compass/eltwise/BinaryFunction.h"

namespace yarrow::compass {
void registerLogicOps(CompassDialect &dialect);
} // namespace yarrow::compass

#define GET_OP_CLASSES
#include "dialects/compass/logic/LogicOps.h.inc"

#endif // YARROW_DIALECTS_COMPASS_LOGIC_LOGICOPS_H
