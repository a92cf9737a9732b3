//===- Normalising.td - What layers that normalise share ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A file without operators: a family that included another one's operators would
// generate their classes again.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_NORM_NORMALISING_TD
#define YARROW_DIALECTS_COMPASS_NORM_NORMALISING_TD

include "dialects/compass/CompassBase.td"

defvar NormAffine = [
  TensorKey<"weights", "factor of each normalised value; IR text can have a shape that broadcasts", need="Required">,
  TensorKey<"biases", "offset of each normalised value; IR text can have a shape that broadcasts; absent in IR text: zeros", need="Required">,
  TensorKey<"lut", "inverse square roots, int16[193]", "Int", "Required">];
// A key of Yarrow's own.
defvar NormEpsilonSum = OptIntKey<"epsilon_sum_value", "epsilon times the number of terms, in squared steps of the input, added to the sum of squares; absent: 0; a key of Yarrow's own", "Int">;
defvar NormKeys = [
  FloatKey<"epsilon", "added to the variance", "1e-5", [], "Float">,
  OptIntKey<"var_shift_value", "8-bit inputs: right shift of the sum of squares", "Int", [], "Optional", [0, 255]>,
  NormEpsilonSum,
  OptIntKey<"norm_scale_value", "multiplier of the normalised value; absent: 1", "Int", [], "Optional", [0, 65535]>,
  OptIntKey<"norm_shift_value", "right shift of the normalised value", "Int", [], "Required", [-32, 54]>];
defvar NormFormula = "y = (x - mean) / sqrt(variance + epsilon) * weights + biases, mean and variance";
defvar NormArithmetic = Resolved<"how lut, norm_shift and var_shift combine in integers is not specified",
  "8 bits: g = (isqrt(sum((x - mean)^2) >> var_shift) + 2^15) >> 16, n = clip(RNE((x - mean) * g * norm_scale / 2^(8 + norm_shift))), y = RQ(n * weights + biases, scale, shift); 16 bits: g is scaled before the product, and the variance is the mean of squares">;
defvar NormLongShift = Resolved<"var_shift is 130 and more in the examples, more than the bits of a sum",
  "it is a right shift, whose result is 0, and the table is read as for 0">;
defvar NormTable = Resolved<"the index of the table with 193 entries is not specified",
  "the seven leading bits of the normalised variance, minus 64; the bits below interpolate between neighbours">;
defvar NormEpsilon = Resolved<"epsilon is said to vanish in integer IR, but an integer example has it", "it is kept, but integers do not use it: they use epsilon_sum_value, if given">;

class NormalizationOp<string mnemonic, string layerType, Rule r, list<IrKey> k, string function> :
    Compass_Op<mnemonic, layerType, r, k, function> {
  let tensorsIn = [Tensor<"x", "...", "values; the channels are the last axis">];
  let tensorsOut = [Tensor<"y", "...", "of the shape of x">];
}
// Layers that give their values the mean 0 or the variance 1.
class MeanVarianceOp<string mnemonic, string layerType, list<IrKey> k, string function> :
    NormalizationOp<mnemonic, layerType, LayerNormRule, k, function> {
  let floatKernels = ["yk_layer_norm_float"];
  let intKernels = ["yk_layer_norm_int"];
}

#endif // YARROW_DIALECTS_COMPASS_NORM_NORMALISING_TD
