//===- CustomOps.cpp - Layers of plugins ----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/custom/CustomOps.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/compass/custom/CustomOps.cpp.inc"

void compass::registerCustomOps(CompassDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/compass/custom/CustomOps.cpp.inc"
      >();
}
