//===- StatisticsOps.cpp - Moments, counts and running sums ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/statistics/StatisticsOps.h"
#include "dialects/compass/statistics/StatisticsShapes.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/compass/statistics/StatisticsOps.cpp.inc"

void compass::registerStatisticsOps(CompassDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/compass/statistics/StatisticsOps.cpp.inc"
      >();
}
