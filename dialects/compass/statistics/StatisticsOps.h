//===- StatisticsOps.h - Moments, counts and running sums -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Op classes of compass.moments, arg_min_max, cumulate and their kin.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_STATISTICS_STATISTICSOPS_H
#define YARROW_DIALECTS_COMPASS_STATISTICS_STATISTICSOPS_H

#include "dialects/compass/Compass.h"

namespace yarrow::compass {
void registerStatisticsOps(CompassDialect &dialect);
} // namespace yarrow::compass

#define GET_OP_CLASSES
#include "dialects/compass/statistics/StatisticsOps.h.inc"

#endif // YARROW_DIALECTS_COMPASS_STATISTICS_STATISTICSOPS_H
