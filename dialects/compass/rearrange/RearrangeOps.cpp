//===- RearrangeOps.cpp - Operators that rearrange or overlap -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/rearrange/RearrangeOps.h"
#include "dialects/compass/Folding.h"
#include "dialects/compass/rearrange/RearrangeShapes.h"

using namespace yarrow::compass;
using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/compass/rearrange/RearrangeOps.cpp.inc"

void yarrow::compass::registerRearrangeOps(CompassDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/compass/rearrange/RearrangeOps.cpp.inc"
      >();
}
