//===- ActivationOps.td - Operators on single values ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_ACTIVATION_ACTIVATIONOPS_TD
#define YARROW_DIALECTS_COMPASS_ACTIVATION_ACTIVATIONOPS_TD

include "dialects/compass/CompassBase.td"

defvar Lut = [TensorKey<"lut", "table over the input's range", "Int">];

def Compass_ActivationOp : Compass_Op<"activation", "Activation", ActivationRule, !listconcat([
  WordKey<"method", "RELU, RELU6, CLIP, LEAKYRELU, PRELU, CRELU, or a function that is one table: SIGMOID, TANH, GELU, ELU, SELU, CELU, HARDSWISH, HARDSIGMOID, SOFTPLUS, SOFTSIGN, SILU, SWISH, MISH, SHRINK, THRESHOLDEDRELU", "RELU">,
  NumberKey<"clip_min", "CLIP: lower bound">, NumberKey<"clip_max", "CLIP: upper bound">,
  NumberKey<"negative_slope_value", "LEAKYRELU: slope of negative values">,
  OptIntKey<"negative_slope_shift", "right shift of slope products", "Int">,
  TensorKey<"negative_slope", "PRELU: slope of negative values">,
  NumberKey<"alpha", "parameter of the function">, NumberKey<"beta", "parameter of the function">,
  NumberKey<"gamma", "SELU: outer factor">, NumberKey<"lambd", "SHRINK: threshold">,
  NumberKey<"bias", "SHRINK: offset">,
  OptIntKey<"axis", "CRELU: axis along which relu(x) and relu(-x) are joined">,
  OptWordKey<"approximate", "GELU: NONE or TANH">], Requant, Lut)> {
  let summary = "an activation function as a layer of its own";
}

class Compass_UnaryOp<string mnemonic, string layerType, string text, list<IrKey> more = []> :
    Compass_Op<mnemonic, layerType, LutRule, !listconcat(more, Requant, Lut)> {
  let summary = text;
}
def Compass_ExpOp : Compass_UnaryOp<"exp", "Exp", "exponential">;
def Compass_LogOp : Compass_UnaryOp<"log", "Log", "natural logarithm">;
def Compass_SqrtOp : Compass_UnaryOp<"sqrt", "Sqrt", "square root">;
def Compass_RsqrtOp : Compass_UnaryOp<"rsqrt", "Rsqrt", "inverse square root">;
def Compass_ReciprocalOp : Compass_UnaryOp<"reciprocal", "Reciprocal", "inverse">;
def Compass_SquareOp : Compass_UnaryOp<"square", "Square", "square">;
def Compass_SineOp : Compass_UnaryOp<"sine", "Sine", "sine; 16-bit inputs use a periodic table">;
def Compass_CosineOp : Compass_UnaryOp<"cosine", "Cosine", "cosine; 16-bit inputs use a periodic table">;
def Compass_TanOp : Compass_UnaryOp<"tan", "Tan", "tangent">;
def Compass_SinhOp : Compass_UnaryOp<"sinh", "Sinh", "hyperbolic sine">;
def Compass_CoshOp : Compass_UnaryOp<"cosh", "Cosh", "hyperbolic cosine">;
def Compass_AsinOp : Compass_UnaryOp<"asin", "Asin", "inverse sine">;
def Compass_AcosOp : Compass_UnaryOp<"acos", "Acos", "inverse cosine">;
def Compass_AtanOp : Compass_UnaryOp<"atan", "Atan", "inverse tangent">;
def Compass_AsinhOp : Compass_UnaryOp<"asinh", "Asinh", "inverse hyperbolic sine">;
def Compass_AcoshOp : Compass_UnaryOp<"acosh", "Acosh", "inverse hyperbolic cosine">;
def Compass_AtanhOp : Compass_UnaryOp<"atanh", "Atanh", "inverse hyperbolic tangent">;
def Compass_ErfOp : Compass_UnaryOp<"erf", "Erf", "error function">;
def Compass_FloorOp : Compass_UnaryOp<"floor", "Floor", "rounding down">;
def Compass_CeilOp : Compass_UnaryOp<"ceil", "Ceil", "rounding up">;
def Compass_RoundOp : Compass_UnaryOp<"round", "Round", "rounding half to even">;
def Compass_TruncOp : Compass_UnaryOp<"trunc", "Trunc", "rounding towards zero">;
def Compass_BnllOp : Compass_UnaryOp<"bnll", "BNLL", "log(1 + exp(x))">;
def Compass_PowOp : Compass_Op<"pow", "Pow", LutRule, !listconcat([
  OptFloatKey<"exponent", "the exponent if it is constant">,
  TensorKey<"lut_log", "table of the power, or of the logarithm if the exponent varies", "Int">,
  TensorKey<"lut_exp", "table of the exponential if the exponent varies", "Int">], Requant)> {
  let summary = "power; in integer IR with a constant exponent";
}

def Compass_AbsOp : Compass_Op<"abs", "Abs", RequantRule, Requant> { let summary = "absolute value"; }
def Compass_NegativeOp : Compass_Op<"negative", "Negative", RequantRule, Requant> { let summary = "negation"; }
def Compass_SignOp : Compass_Op<"sign", "Sign", RequantRule, Requant> { let summary = "-1, 0 or 1"; }

#endif // YARROW_DIALECTS_COMPASS_ACTIVATION_ACTIVATIONOPS_TD
