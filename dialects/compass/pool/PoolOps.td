//===- PoolOps.td - Pooling -----------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_POOL_POOLOPS_TD
#define YARROW_DIALECTS_COMPASS_POOL_POOLOPS_TD

include "dialects/compass/CompassBase.td"

def Compass_PoolingOp : Compass_Op<"pooling", "Pooling", PoolRule, !listconcat([
  WordKey<"method", "MAX, AVG, or in float IR L1 and L2", "MAX">], Window, [
  BoolKey<"ceil_mode", "recorded only: the output shape decides">,
  BoolKey<"count_include_pad", "AVG: padding counts in the divisor", "true">])> {
  let summary = "pooling over windows of rows and columns, NHWC";
}

#endif // YARROW_DIALECTS_COMPASS_POOL_POOLOPS_TD
