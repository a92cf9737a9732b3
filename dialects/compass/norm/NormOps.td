//===- NormOps.td - Normalisations and softmax ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_NORM_NORMOPS_TD
#define YARROW_DIALECTS_COMPASS_NORM_NORMOPS_TD

include "dialects/compass/CompassBase.td"

def Compass_BatchNormOp : Compass_Op<"batch_norm", "BatchNorm", BatchNormRule, !listconcat(Weights, [
  IntKey<"axis", "channel axis", "-1">, OptFloatKey<"epsilon", "recorded only: weights and biases hold the folded form">],
  Requant, FusedActivation)> {
  let summary = "x * weights + biases per channel";
}

def Compass_LayerNormOp : Compass_Op<"layer_norm", "LayerNorm", LayerNormRule, !listconcat(Weights, [
  IntListKey<"axis", "normalised axes">, FloatKey<"epsilon", "added to the variance", "1e-5">,
  TensorKey<"lut", "inverse square roots, int16[193]", "Int">,
  OptIntKey<"var_shift_value", "right shift of the variance", "Int">,
  OptIntKey<"norm_scale_value", "multiplier of the normalised value", "Int">,
  OptIntKey<"norm_shift_value", "right shift of the normalised value", "Int">], Requant)> {
  let summary = "normalisation over axes, then weights and biases";
}

def Compass_SoftmaxOp : Compass_Op<"softmax", "Softmax", SoftmaxRule, !listconcat([
  IntKey<"axis", "axis that sums to one", "-1">,
  OptWordKey<"quantize_method", "LUT or FAST_EXP", "Int">,
  TensorKey<"lut", "exponentials, uint32", "Int">,
  OptIntKey<"input_scale_value", "FAST_EXP: log2(e)/scale as multiplier", "Int">,
  OptIntKey<"input_shift_value", "FAST_EXP: its right shift", "Int">,
  OptIntKey<"pow2_out_q", "FAST_EXP: fractional bits of the exponentials", "Int">,
  OptIntKey<"adjust_q", "FAST_EXP: 1 halves the steps of the sum's logarithm, 0 does not", "Int">,
  TensorKey<"pow2_lut", "FAST_EXP: powers of two", "Int">,
  TensorKey<"log2_lut", "FAST_EXP: logarithms", "Int">], Requant)> {
  let summary = "softmax along an axis";
}

#endif // YARROW_DIALECTS_COMPASS_NORM_NORMOPS_TD
