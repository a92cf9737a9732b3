//===- ReduceOps.td - Reductions ------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_REDUCE_REDUCEOPS_TD
#define YARROW_DIALECTS_COMPASS_REDUCE_REDUCEOPS_TD

include "dialects/compass/CompassBase.td"

def Compass_ReduceOp : Compass_Op<"reduce", "Reduce", ReduceRule, !listconcat([
    TensorKey<"sqrt_lut", "L2: square roots, indexed by 16 unsigned bits", "Int", "Required", ["L2"]>,
    IntListKey<"axis", "reduced axes, kept with length 1", "Required">, MethodKey<"MEAN">], Requant,
    [RequantRoundingKey<["MEAN", "SUM"]>])> {
  let facts = [AxesByKeyLayer];
  let axisKeys = ["axis"];
  let summary = "reduction over axes";
  let formula = "y = OP of x over axis; reduced axes stay, with length 1";
  let source = "Compass IR 7.3, 4.3.1 ReduceAll, ReduceAny, ReduceL1, ReduceL2, ReduceMax, ReduceMean, ReduceMin, ReduceProd, ReduceSum, ReduceUnbiasedVariance, ReduceVariance";
  let tensorsIn = [Tensor<"x", "...", "values">, OptTensor<"axes", "...", "the axes of the source model; not read: the key axis decides", "Integer">];
  let tensorsOut = [Tensor<"y", "...", "of the shape of x with length 1 along axis">];
  let floatKernels = ["yk_reduce_float"];
  let intKernels = ["yk_reduce_int", "yk_reduce_norm_int", "yk_reduce_product_int"];
  let methods = [
    Method<"MEAN", "mean; in integers RQ(sum of x + zp, scale, shift), where scale contains 1/n">,
    Method<"SUM", "sum; in integers RQ(sum of x + zp, scale, shift)">,
    Method<"MIN", "least value, with the scale of x">,
    Method<"MAX", "greatest value, with the scale of x">,
    Method<"PROD", "product; in integers renormalised to 16 bits after every factor, rounding down, in the row-major order of axis as listed: RQ(product, scale, shift - halvings)">,
    Method<"L1", "sum of |x|">,
    Method<"L2", "root of the sum of squares; in integers sqrt_lut[RQ(sum of (x + zp)^2, scale, shift)]">,
    Method<"VARIANCE", "mean of (x - mean)^2; in integers the mean is rounded first">,
    Method<"UNBIASED_VARIANCE", "sum of (x - mean)^2 divided by n - 1">,
    Method<"ALL", "1 if no value is 0, else 0; in integers of x + zp">,
    Method<"ANY", "1 if some value is not 0, else 0; in integers of x + zp">];
  let resolved = [
    Resolved<"the examples of ALL and ANY lack scale and shift", "these methods do not use them: the result holds the integers 0 and 1, and every x but 0 is true">,
    Resolved<"whether scale and shift of L2 apply before or after the table is not specified", "before it: they bring the sum of squares to 16 unsigned bits">,
    Resolved<"whether scale and shift of MEAN contain the division by n is not specified", "they do">,
    Resolved<"the scale of intermediate products of PROD is not specified", "PROD renormalises after every factor, so its shift can exceed 62">,
    Resolved<"UNBIASED VARIANCE is printed with a blank", "the method is UNBIASED_VARIANCE">];
}

#endif // YARROW_DIALECTS_COMPASS_REDUCE_REDUCEOPS_TD
