//===- NormOps.td - Normalisations and softmax ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_NORM_NORMOPS_TD
#define YARROW_DIALECTS_COMPASS_NORM_NORMOPS_TD

include "dialects/compass/norm/Softmax.td"

def Compass_BatchNormOp : Compass_Op<"batch_norm", "BatchNorm", BatchNormRule, !listconcat(Weights, [
    IntKey<"axis", "axis of the channels", "-1">,
    OptFloatKey<"epsilon", "recorded only: weights and biases contain it already">],
    Requant, [WordKey<"with_activation", "activation applied to the result", "NONE", Activations, [], "Optional">],
    !tail(FusedActivation))> {
  let summary = "x * weights + biases per channel";
  let formula = "y = x * weights[c] + biases[c]; in integers y = RQ(x * weights[c] + biases[c], scale[c], shift[c]), where biases contain the zero point of x";
  let source = "Compass IR 7.3, 4.3.1 BatchNormalization";
  let tensorsIn = [Tensor<"x", "...", "values">];
  let tensorsOut = [Tensor<"y", "...", "of the shape of x">];
  let floatKernels = ["yk_batch_norm_float", "yk_eltwise_float"]; // the second with an activation
  let intKernels = ["yk_batch_norm_int"];
  let resolved = [
    Resolved<"the text lists five inputs, but the section has one", "one input; weights = gamma / sqrt(variance + epsilon) and biases = beta - mean * weights are constants">,
    Resolved<"the types of weights and biases in integer IR are not specified", "int8 or int16 weights, int32 biases; scale and shift as tensors of one value per channel, or one scale_value and one shift_value">];
}

def Compass_LayerNormOp : Compass_Op<"layer_norm", "LayerNorm", LayerNormRule, !listconcat(NormAffine,
    [IntListKey<"axis", "normalised axes">], NormKeys, Requant)> {
  let summary = "normalisation over axes, then weights and biases";
  let formula = !strconcat(NormFormula, " over axis");
  let source = "Compass IR 7.3, 4.3.1 LayerNormalization";
  let tensorsIn = [Tensor<"x", "...", "values">];
  let tensorsOut = [Tensor<"y", "...", "of the shape of x">,
                    OptTensor<"mean", "...", "mean, with normalised axes of length 1; the reference parser writes it if the source model reads it">,
                    OptTensor<"inverseDeviation", "...", "1 / sqrt(variance + epsilon), of the same shape">];
  // Those after the first are of the mean and the deviation.
  let floatKernels = ["yk_layer_norm_float", "yk_reduce_float", "yk_eltwise_float", "yk_unary_float"];
  let intKernels = ["yk_layer_norm_int"];
  let resolved = [NormArithmetic, NormLongShift, NormTable, NormEpsilon,
    Resolved<"weights and biases are said to have the length of the batch", "they have one value per normalised position: the lengths of the axes in axis">,
    Resolved<"axes must be contiguous up to the last", "any axes are accepted">,
    Resolved<"mean and deviation as further results have no integer form", "they are computed only in float IR">];
}

def Compass_GroupNormOp : MeanVarianceOp<"group_norm", "GroupNorm", !listconcat(NormAffine,
    [IntKey<"axis", "axis of the channels", "-1">,
     IntKey<"group", "number of groups; a divisor of the number of channels", "32", [], AtLeastOne>], NormKeys, Requant), "inferGroupNorm"> {
  let rule = GroupNormRule;
  let summary = "normalisation of each image's groups of channels, then weights and biases";
  let formula = !strconcat(NormFormula, " over all axes but the batch, within a group of channels");
  let source = "Compass IR 7.3, 4.3.1 GroupNormalization";
  let resolved = [NormArithmetic, NormLongShift, NormTable, NormEpsilon,
    Resolved<"weights and biases are said to have the length of the batch", "they have one value per channel, as in the example">,
    Resolved<"the example has shapes without brackets", "a shape is a list">,
    Resolved<"offsets in the example overlap", "the ranges of two constants must not overlap">,
    Resolved<"axis is a list in the text, but an integer in the example", "one axis; a list of one is read">,
    Resolved<"scale and shift are described as tables", "constants of one value per channel, or one scale_value and one shift_value">];
}

def Compass_InstanceNormOp : MeanVarianceOp<"instance_norm", "InstanceNorm", !listconcat(NormAffine, NormKeys, Requant), "inferInstanceNorm"> {
  let rule = InstanceNormRule;
  let summary = "normalisation of each image and channel, then weights and biases";
  let formula = !strconcat(NormFormula, " over all axes but the first and the last");
  let source = "Compass IR 7.3, 4.3.1 InstanceNormalization";
  let resolved = [NormArithmetic, NormLongShift, NormTable, NormEpsilon,
    Resolved<"weights and biases are described like those of BatchNorm, which contain the statistics", "they are only factor and offset, one value per channel">,
    Resolved<"the example has 132 as an int8", "a value must fit its type">];
}

def Compass_RMSNormOp : MeanVarianceOp<"rms_norm", "RMSNorm", !listconcat([
    TensorKey<"weights", "factor of each normalised value", need="Optional">,
    TensorKey<"biases", "offset of each normalised value", need="Optional">,
    TensorKey<"lut", "inverse square roots, int16[193]", "Int", "Required">,
    IntListKey<"axis", "normalised axes">,
    FloatKey<"epsilon", "added to the mean of squares", "1e-5", [], "Float">,
    NormEpsilonSum,
    OptIntKey<"norm_scale_value", "multiplier of the inverse root", "Int", [], "Required", MultiplierBounds>,
    OptIntKey<"norm_shift_value", "right shift of the inverse root", "Int", [], "Required", ShiftBounds>], Requant), "inferRmsNorm"> {
  let rule = RmsNormRule;
  let summary = "division by the root of the mean square, then weights";
  let formula = "y = x / sqrt(mean(x^2 over axis) + epsilon) * weights + biases; in integers g = RQ((isqrt(mean((x + zp)^2)) + 2^15) >> 16, norm_scale_value, norm_shift_value), y = RQ(((x + zp) * g + 128 >> 8) * weights + biases, scale, shift)";
  let source = "reference parser";
}

def Compass_MVNOp : MeanVarianceOp<"mvn", "MVN", !listconcat([
    TensorKey<"lut", "inverse square roots, int16[193]", "Int", "Required">,
    IntListKey<"axis", "normalised axes; absent in IR text: [0,1,2]">,
    FloatKey<"epsilon", "added to the variance", "1e-9", [], "Float">,
    NormEpsilonSum,
    OptIntKey<"var_shift_value", "right shift of the sum of squares", "Int", [], "Expected", NotNegative>,
    OptIntKey<"norm_scale_value", "multiplier of the normalised value", "Int">,
    OptIntKey<"norm_shift_value", "right shift of the normalised value", "Int">], Requant), "inferMvn"> {
  let rule = MvnRule;
  let summary = "normalisation to mean 0 and variance 1";
  let facts = [AxesByKeyLayer];
  let axisKeys = ["axis"];
  let formula = "y = (x - mean) / sqrt(variance + epsilon) over axis; in 8-bit integers g = (isqrt(sum((x - mean)^2) >> var_shift_value) + 2^15) >> 16, y = clip(RNE((x - mean) * g * scale / 2^(8 + shift))) - zp; in 16-bit integers as LayerNorm, with scale and shift instead of norm_scale and norm_shift";
  let source = "Compass IR 7.3, 4.3.1 MeanVarianceNormalization";
  let resolved = [NormEpsilon, NormLongShift,
    Resolved<"how lut, norm_shift and var_shift combine is not specified", "as in the formula; norm_shift_value, which only the definition has, is kept, but not used">,
    Resolved<"the table has 193 entries in most examples, but 49 in this one", "a coarser table is accepted and interpolated linearly">,
    Resolved<"the divisor is printed as the square of the deviation", "it is the deviation: the result has variance 1">,
    Resolved<"the formula has no epsilon", "in floats it is added to the variance; integers use epsilon_sum_value, if given">,
    Resolved<"the parameters of a gamma are listed, but no gamma", "there are no weights and no biases">,
    Resolved<"axis has the default [0,1,2]", "the reader adds it if absent; the reference always writes it">];
}

def Compass_NormalizationOp : NormalizationOp<"normalization", "Normalization", NormalizationRule, !listconcat([
    TensorKey<"lut", "L2: inverse square roots, int16[193]", "Int", "Required", ["L2"]>,
    MethodKey<"L2">,
    IntListKey<"axis", "axes of the norm">,
    FloatKey<"epsilon", "least sum; 0 means float32's epsilon, 1.2e-7", "0.0", [], "Float">,
    OptIntKey<"reciprocal_shift_value", "L2: right shift of the inverse norm", "Int", ["L2"], "Required", ShiftBounds>], Requant), "inferNormalization"> {
  let facts = [AxesByKeyLayer];
  let axisKeys = ["axis"];
  let floatKernels = ["yk_lp_norm_float"];
  let intKernels = ["yk_lp_norm_int"];
  let summary = "division by a norm";
  let formula = "y = x / norm(x over axis)";
  let source = "Compass IR 7.3, 4.3.1 L1Normalization, L2Normalization";
  let methods = [
    Method<"L1", "norm = max(sum |x|, epsilon); in integers y = RQ(trunc((x + zp) * scale / sum |x + zp|), 1, shift), or RQ(0) if the sum is 0">,
    Method<"L2", "norm = sqrt(max(sum x^2, epsilon)); in integers r / 2^e = isqrt(sum (x + zp)^2) with r in 15 bits, v = clip((x + zp) * scale >> reciprocal_shift, 16 bits), y = RQ(v * r, 1, shift + 31 - reciprocal_shift - e)">];
  let resolved = [
    Resolved<"the input is called a matrix", "tensors of any rank are accepted">,
    Resolved<"axes of L1 must be contiguous up to the last, but its example has axis=[0] of three axes", "any axes are accepted">,
    Resolved<"axes of L2 must be contiguous up to the last, but its example has others", "any axes are accepted">,
    Resolved<"how L1 divides without a table is not specified", "an integer division that rounds towards zero, see the method">,
    Resolved<"how lut and reciprocal_shift of L2 combine is not specified", "see the method; a sum of more than 31 bits is shifted right by an even number of bits before the table">];
}

def Compass_LRNOp : NormalizationOp<"lrn", "LRN", LrnRule, [
    TensorKey<"lut", "(bias + alpha / size * s)^-beta for s of 16 unsigned bits", "Int", "Required">,
    MethodKey<"ACROSS_CHANNELS">,
    OptIntKey<"size", "number of channels, or of rows and columns, that are summed", "Both", [], "Required", AtLeastOne>,
    FloatKey<"alpha", "factor of the mean square", "1.0">, FloatKey<"beta", "exponent", "0.5">,
    FloatKey<"bias", "added to the mean square", "1.0">,
    ScalesKey<"scale_sum_value", "multiplier of the sum of squares">, ShiftsKey<"shift_sum_value", "right shift of the sum of squares">,
    ScalesKey<"scale_value", "multiplier of the result">, ShiftsKey<"shift_value", "right shift of the result">], "inferLrn"> {
  let floatKernels = ["yk_local_response_float"];
  let intKernels = ["yk_local_response_int"];
  let summary = "local response normalisation";
  let formula = "y = x / (bias + alpha * mean(x^2 over the neighbourhood))^beta; in integers v = lut[RQ(sum (x + zp)^2, scale_sum, shift_sum)], y = RQ((x + zp) * v, scale, shift)";
  let source = "Compass IR 7.3, 4.3.1 LRN";
  let methods = [Method<"ACROSS_CHANNELS", "neighbourhood: size channels around the value's">,
                 Method<"WITHIN_CHANNEL", "neighbourhood: size rows and columns around the value's">];
  let resolved = [
    Resolved<"the formulas use depth_radius, but the key is size", "size is the whole window: 2 * depth_radius + 1">,
    Resolved<"whether WITHIN_CHANNEL divides by size or by its square is not specified", "in floats it divides by the number of cells of the window inside the tensor; in integers the table contains the divisor">,
    Resolved<"the neighbourhood of an even size is not specified", "ACROSS_CHANNELS: one channel more before than after; WITHIN_CHANNEL: in integers one more after, with a sum of 0 in the last row and column, as in the reference; an error in floats">,
    Resolved<"the prose mixes up the suffixes of the keys", "scale_sum_value, scale_sum_type, shift_sum_value, shift_sum_type">,
    Resolved<"the default method is not specified", "ACROSS_CHANNELS">];
}

#endif // YARROW_DIALECTS_COMPASS_NORM_NORMOPS_TD
