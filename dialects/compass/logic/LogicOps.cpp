//===- LogicOps.cpp - Bits, truth values and choices ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/logic/LogicOps.h"
#include "dialects/compass/logic/LogicShapes.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/compass/logic/LogicOps.cpp.inc"

void compass::registerLogicOps(CompassDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/compass/logic/LogicOps.cpp.inc"
      >();
}
