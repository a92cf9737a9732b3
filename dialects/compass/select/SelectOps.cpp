//===- SelectOps.cpp - Candidates sorted, filtered and merged -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/select/SelectOps.h"
#include "dialects/compass/select/SelectShapes.h"

using namespace yarrow::compass;

#define GET_OP_CLASSES
#include "dialects/compass/select/SelectOps.cpp.inc"

void yarrow::compass::registerSelectOps(CompassDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/compass/select/SelectOps.cpp.inc"
      >();
}
