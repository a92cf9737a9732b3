//===- ControlOps.cpp - Control flow and layers of hosts ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/control/ControlOps.h"
#include "dialects/compass/control/ControlShapes.h"

using namespace yarrow::compass;
using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/compass/control/ControlOps.cpp.inc"

void yarrow::compass::registerControlOps(CompassDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/compass/control/ControlOps.cpp.inc"
      >();
}

LogicalResult IfOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyIf(*this, symbols);
}
LogicalResult LoopOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyLoop(*this, symbols);
}
