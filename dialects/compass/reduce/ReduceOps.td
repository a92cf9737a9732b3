//===- ReduceOps.td - Reductions ------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_REDUCE_REDUCEOPS_TD
#define YARROW_DIALECTS_COMPASS_REDUCE_REDUCEOPS_TD

include "dialects/compass/CompassBase.td"

def Compass_ReduceOp : Compass_Op<"reduce", "Reduce", ReduceRule, !listconcat([
  WordKey<"method", "MEAN, SUM, MIN, MAX, ALL, ANY, L1, L2, VARIANCE or UNBIASED_VARIANCE; in float IR also PROD", "MEAN">,
  IntListKey<"axis", "reduced axes, kept with length 1">,
  TensorKey<"sqrt_lut", "L2: square roots", "Int">],
  Requant)> {
  let summary = "reduction over axes";
}

#endif // YARROW_DIALECTS_COMPASS_REDUCE_REDUCEOPS_TD
