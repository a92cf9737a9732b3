//===- ReduceOps.td - Reductions and resizing -----------------------------===//
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
def Compass_ResizeOp : Compass_Op<"resize", "Resize", ResizeRule, [
  WordKey<"method", "BILINEAR or NEAREST", "BILINEAR">,
  WordKey<"mode", "how pixel centres correspond: HALF_PIXEL, PYTORCH_HALF_PIXEL, ALIGN_CORNERS, ASYMMETRIC, TF_HALF_PIXEL_FOR_NN", "HALF_PIXEL">,
  OptWordKey<"nearest_mode", "SIMPLE, ROUND_PREFER_FLOOR, ROUND_PREFER_CEIL, FLOOR or CEIL">,
  OptFloatKey<"ratio_x", "recorded only: sizes decide">, OptFloatKey<"ratio_y", "recorded only">,
  IntListKey<"size", "shape of the result", "Optional">,
  BoolKey<"antialias", "must be false">, BoolKey<"exclude_outside", "must be false">,
  OptIntKey<"interp_shift_value", "fractional bits of the weights", "Int">]> {
  let summary = "change of height and width, NHWC";
}

#endif // YARROW_DIALECTS_COMPASS_REDUCE_REDUCEOPS_TD
