//===- PoolOps.td - Pooling -----------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_POOL_POOLOPS_TD
#define YARROW_DIALECTS_COMPASS_POOL_POOLOPS_TD

include "dialects/compass/CompassBase.td"

def Compass_PoolingOp : Compass_Op<"pooling", "Pooling", PoolRule, !listconcat([
  MethodKey<"MAX">], Window, [
  BoolKey<"ceil_mode", "recorded only: the output shape decides">,
  BoolKey<"count_include_pad", "AVG: padding counts in the divisor", "true">])> {
  let summary = "pooling over windows of rows and columns, NHWC";
  let methods = [
    Method<"MAX", "y = max over the window", "", "engine">,
    Method<"AVG", "y = mean over the window", "", "engine">,
    Method<"L1", "y = sum |x| over the window", "", "no">,
    Method<"L2", "y = sqrt(sum x^2) over the window", "", "no">];
  let tensorsIn = [Tensor<"x", "N, H, W, C", "image">];
  let tensorsOut = [Tensor<"y", "N, h, w, C", "one value per window">];
}

#endif // YARROW_DIALECTS_COMPASS_POOL_POOLOPS_TD
