//===- NormOps.td - Normalisations and softmax ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_NORM_NORMOPS_TD
#define YARROW_DIALECTS_COMPASS_NORM_NORMOPS_TD

include "dialects/compass/norm/Normalising.td"

def Compass_BatchNormOp : Compass_Op<"batch_norm", "BatchNorm", BatchNormRule, !listconcat(Weights, [
    IntKey<"axis", "axis of the channels", "-1">,
    OptFloatKey<"epsilon", "recorded only: weights and biases hold the folded form">],
    Requant, [WordKey<"with_activation", "activation applied to the result", "NONE", Activations, [], "Optional">],
    !tail(FusedActivation))> {
  let summary = "x * weights + biases per channel";
  let formula = "y = x * weights[c] + biases[c]; in integers y = RQ(x * weights[c] + biases[c], scale[c], shift[c]), the zero point of x inside biases";
  let source = "Compass IR 7.3, 4.3.1 BatchNormalization";
  let tensorsIn = [Tensor<"x", "...", "values">];
  let tensorsOut = [Tensor<"y", "...", "of the shape of x">];
  let resolved = [
    Resolved<"the text lists five inputs, the section's inputs one", "one; weights = gamma / sqrt(variance + epsilon) and biases = beta - mean * weights are constants">,
    Resolved<"types of weights and biases in integer IR are not told", "int8 or int16 weights, int32 biases; scale and shift as tensors of one value per channel, or one scale_value and one shift_value">];
}

def Compass_LayerNormOp : Compass_Op<"layer_norm", "LayerNorm", LayerNormRule, !listconcat(NormAffine,
    [IntListKey<"axis", "normalised axes">], NormKeys, Requant)> {
  let summary = "normalisation over axes, then weights and biases";
  let formula = !strconcat(NormFormula, " over axis");
  let source = "Compass IR 7.3, 4.3.1 LayerNormalization";
  let tensorsIn = [Tensor<"x", "...", "values">];
  let tensorsOut = [Tensor<"y", "...", "of the shape of x">,
                    OptTensor<"mean", "...", "mean, normalised axes of length 1; the reference parser writes it where the source model reads it">,
                    OptTensor<"inverseDeviation", "...", "1 / sqrt(variance + epsilon), of the same shape">];
  let resolved = [NormArithmetic, NormTable, NormEpsilon,
    Resolved<"weights and biases are said to have the length of the batch", "one value per normalised position: the lengths of the axes in axis">,
    Resolved<"axis shall be contiguous up to the last", "any axes are read; those that are not last are not executable">];
}

def Compass_SoftmaxOp : Compass_Op<"softmax", "Softmax", SoftmaxRule, [
    TensorKey<"lut", "LUT: exponentials of x - max(x), uint32", "Int", "Required", ["LUT"], "quantize_method">,
    TensorKey<"pow2_lut", "FAST_EXP with adjust_q above 1: powers of two, uint16", "Int">,
    TensorKey<"log2_lut", "FAST_EXP with adjust_q above 1: logarithms, int16", "Int">,
    IntKey<"axis", "axis that sums to one", "-1">,
    IrKey<"quantize_method", "Word", DefaultValuedOptionalAttr<StrAttr, "\"LUT\"">, "how integers are computed", "Optional", [], "Int", ["LUT", "FAST_EXP"]>,
    IrKey<"scale_value", "Ints", OptionalAttr<DenseI64ArrayAttr>, "LUT: multiplier of the result", "Expected", ["LUT"], "Int", [], [0, 65535], "quantize_method">,
    IrKey<"shift_value", "Ints", OptionalAttr<DenseI64ArrayAttr>, "LUT: its right shift", "Expected", ["LUT"], "Int", [], [-32, 62], "quantize_method">,
    IrKey<"input_scale_value", "Int", OptionalAttr<I64Attr>, "FAST_EXP: log2(e) / scale as multiplier", "Required", ["FAST_EXP"], "Int", [], [0, 65535], "quantize_method">,
    IrKey<"input_shift_value", "Int", OptionalAttr<I64Attr>, "FAST_EXP: its right shift", "Required", ["FAST_EXP"], "Int", [], [0, 62], "quantize_method">,
    IrKey<"pow2_out_q", "Int", OptionalAttr<I64Attr>, "FAST_EXP: fractional bits of the exponentials", "Required", ["FAST_EXP"], "Int", [], [0, 31], "quantize_method">,
    IrKey<"adjust_q", "Int", OptionalAttr<I64Attr>, "FAST_EXP: 1 halves the steps of the sum's logarithm, 0 does not; 8 to 15 are its fractional bits with tables", "Required", ["FAST_EXP"], "Int", [], [0, 15], "quantize_method">]> {
  let summary = "softmax along an axis";
  let formula = "d = x - max(x over axis); y = exp(d) / sum(exp(d) over axis)";
  let description = [{
    Integers of quantize_method LUT: e = lut[d], y = e * scale / sum(e) >> shift, rounded as the shape says: numerators first
    where the axis is shorter than 8 and the other axes a multiple of 128, else the reciprocal of the sum first.
    FAST_EXP: powers of two in place of exponentials, so that the result holds powers of two alone.
  }];
  let source = "Compass IR 7.3, 4.3.1 Softmax";
  let tensorsIn = [Tensor<"x", "...", "values">];
  let tensorsOut = [Tensor<"y", "...", "of the shape of x">];
  let resolved = [
    Resolved<"whether the maximum is subtracted is not told", "it is: the table covers x - max(x)">,
    Resolved<"scale and shift stand in the text and not in the example", "quantize_method LUT needs scale_value and shift_value to be computed; FAST_EXP has none">,
    Resolved<"quantize_method, input_scale, input_shift, pow2_out_q and adjust_q occur in the reference alone", "read; without quantize_method it is LUT">];
}

#endif // YARROW_DIALECTS_COMPASS_NORM_NORMOPS_TD
