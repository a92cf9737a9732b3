//===- ControlOps.h - Control flow and layers of hosts --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_CONTROL_CONTROLOPS_H
#define YARROW_DIALECTS_COMPASS_CONTROL_CONTROLOPS_H

#include "dialects/compass/Compass.h"
#include "mlir/IR/SymbolTable.h"

namespace yarrow::compass {
void registerControlOps(CompassDialect &dialect);
} // namespace yarrow::compass

#define GET_OP_CLASSES
#include "dialects/compass/control/ControlOps.h.inc"

#endif // YARROW_DIALECTS_COMPASS_CONTROL_CONTROLOPS_H
