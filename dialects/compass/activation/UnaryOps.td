//===- UnaryOps.td - Layers that are one function -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_ACTIVATION_UNARYOPS_TD
#define YARROW_DIALECTS_COMPASS_ACTIVATION_UNARYOPS_TD

include "dialects/compass/CompassBase.td"

defvar UnaryIn = [Tensor<"x", "...", "values">];
defvar UnaryOut = [Tensor<"y", "...", "of the shape of x">];
defvar TableLookup = "y = lut[x - least x]; if the table has fewer entries than x has values, the two nearest are interpolated and rounded down";

// Integer layers are one table over the input's range.
class Compass_UnaryOp<string mnemonic, string layerType, string text, string f, list<Resolved> readings = []> :
    Compass_Op<mnemonic, layerType, LutRule, !listconcat(
      [TensorKey<"lut", "the function over the input's range, in the result's type", "Int", "Required">], Requant)> {
  let facts = [ElementwiseLayer, InPlaceLayer];
  let summary = text;
  let formula = !strconcat(f, "; in integers ", TableLookup);
  let source = "Compass IR 7.3, 4.3.1 " # layerType;
  let tensorsIn = UnaryIn;
  let tensorsOut = UnaryOut;
  let floatKernels = ["yk_unary_float"];
  let intKernels = ["yk_lut"];
  let resolved = readings;
}
def Compass_ExpOp : Compass_UnaryOp<"exp", "Exp", "exponential", "y = e^x">;
def Compass_LogOp : Compass_UnaryOp<"log", "Log", "natural logarithm", "y = ln(x)", [
  Resolved<"the result at x <= 0 is not specified", "integers: the table's entry, the least value of its type; floats: as in IEEE 754">]>;
def Compass_SqrtOp : Compass_UnaryOp<"sqrt", "Sqrt", "square root", "y = sqrt(x)", [
  Resolved<"a negative x gives an arbitrary value", "integers: the table's entry, for which the reference writes 0; floats: NaN">]>;
def Compass_RsqrtOp : Compass_UnaryOp<"rsqrt", "Rsqrt", "inverse square root", "y = 1 / sqrt(x)", [
  Resolved<"x <= 0 gives an arbitrary value", "integers: the table's entry, the greatest value of its type; floats: as in IEEE 754">]>;
def Compass_ReciprocalOp : Compass_UnaryOp<"reciprocal", "Reciprocal", "inverse", "y = 1 / x", [
  Resolved<"the result at 0 is not specified", "integers: the table's entry, the greatest value of its type; floats: an infinity">]>;
def Compass_SquareOp : Compass_UnaryOp<"square", "Square", "square", "y = x^2">;
defvar PeriodicTable = " (the table of a 16-bit layer is one period: y = lut[(x + zp) * scale >> shift, modulo its length])";
defvar PeriodicKernels = ["yk_lut", "yk_periodic_lut"];
def Compass_SineOp : Compass_UnaryOp<"sine", "Sine", "sine", !strconcat("y = sin(x)", PeriodicTable)> {
  let rule = PeriodicRule;
  let intKernels = PeriodicKernels;
}
def Compass_CosineOp : Compass_UnaryOp<"cosine", "Cosine", "cosine", !strconcat("y = cos(x)", PeriodicTable)> {
  let rule = PeriodicRule;
  let intKernels = PeriodicKernels;
}
def Compass_TanOp : Compass_UnaryOp<"tan", "Tan", "tangent", "y = tan(x)">;
def Compass_SinhOp : Compass_UnaryOp<"sinh", "Sinh", "hyperbolic sine", "y = sinh(x)">;
def Compass_CoshOp : Compass_UnaryOp<"cosh", "Cosh", "hyperbolic cosine", "y = cosh(x)">;
def Compass_AsinOp : Compass_UnaryOp<"asin", "Asin", "inverse sine", "y = asin(x)">;
def Compass_AcosOp : Compass_UnaryOp<"acos", "Acos", "inverse cosine", "y = acos(x)">;
def Compass_AtanOp : Compass_UnaryOp<"atan", "Atan", "inverse tangent", "y = atan(x)"> { let source = "reference parser"; }
def Compass_AsinhOp : Compass_UnaryOp<"asinh", "Asinh", "inverse hyperbolic sine", "y = asinh(x)">;
def Compass_AcoshOp : Compass_UnaryOp<"acosh", "Acosh", "inverse hyperbolic cosine", "y = acosh(x)">;
def Compass_AtanhOp : Compass_UnaryOp<"atanh", "Atanh", "inverse hyperbolic tangent", "y = atanh(x)"> { let source = "reference parser"; }
def Compass_ErfOp : Compass_UnaryOp<"erf", "Erf", "error function", "y = erf(x)", [
  Resolved<"the example has a uint8 table for an int8 result", "a table has the type of the result">]>;
def Compass_FloorOp : Compass_UnaryOp<"floor", "Floor", "rounding down", "y = greatest integer <= x">;
def Compass_CeilOp : Compass_UnaryOp<"ceil", "Ceil", "rounding up", "y = least integer >= x">;
def Compass_RoundOp : Compass_UnaryOp<"round", "Round", "rounding half to even", "y = nearest integer, the even one in a tie">;
def Compass_TruncOp : Compass_UnaryOp<"trunc", "Trunc", "rounding towards zero", "y = x without its fraction">;
def Compass_BnllOp : Compass_UnaryOp<"bnll", "BNLL", "binomial normal log likelihood", "y = ln(1 + e^x)", [
  Resolved<"the text calls it a sigmoid", "the formula decides; the function is SOFTPLUS">]>;

def Compass_PowOp : Compass_Op<"pow", "Pow", PowRule, !listconcat([
    TensorKey<"lut_log", "x^exponent over the values of x; if the exponent is a tensor, the logarithm of |x|", "Int", "Required">,
    TensorKey<"lut_exp", "the exponential, if the exponent is a tensor", "Int">,
    OptFloatKey<"exponent", "the exponent, if it is constant", "Int">], Requant)> {
  let facts = [ElementwiseLayer, InPlaceLayer];
  let summary = "power with broadcasting";
  let formula = "y = x^p; in quantized integers lut_log[x] if the key exponent gives p, else lut_exp[RQ(lut_log[x] * (p + zp), scale, shift)] with an index of int16";
  let description = "If the exponent is a tensor, integer IR can be executed for bases of 0 and above. Integers without a scale are multiplied as in C, within the bits of the result.";
  let source = "Compass IR 7.3, 4.3.1 Pow";
  let tensorsIn = [Tensor<"x", "...", "base">, OptTensor<"p", "...", "exponent, broadcast with the base; can be omitted if the key exponent is given">];
  let tensorsOut = [Tensor<"y", "...", "of the broadcast shape">];
  let floatKernels = ["yk_eltwise_float", "yk_unary_float"];
  let intKernels = ["yk_lut", "yk_eltwise_int"];
  let resolved = [
    Resolved<"a negative base has no logarithm", "a constant exponent has a table over all values of x; otherwise the table of |x| is read, and the result has the sign of x^p for integer p">,
    Resolved<"the element type of lut_log is int8 in the text, int16 in the reference", "the stored type decides">];
}

def Compass_AbsOp : Compass_Op<"abs", "Abs", AbsRule, Requant> {
  let facts = [ElementwiseLayer, InPlaceLayer];
  let summary = "absolute value";
  let formula = "y = |x|; in integers y = RQ(|x + zp|, scale, shift)";
  let source = "Compass IR 7.3, 4.3.1 Abs";
  let tensorsIn = UnaryIn;
  let tensorsOut = UnaryOut;
  let floatKernels = ["yk_unary_float"];
  let intKernels = ["yk_activation_int"];
  let resolved = [Resolved<"no scale and shift are given, yet the example turns int8 into uint8", "scale_value and shift_value, as the reference writes them; 1 and 0 if absent">];
}
def Compass_NegativeOp : Compass_Op<"negative", "Negative", NegativeRule, Requant> {
  let facts = [ElementwiseLayer, InPlaceLayer];
  let summary = "negation";
  let formula = "y = -x; in integers y = clip(-(x + zpIn) - zpOut)";
  let source = "Compass IR 7.3, 4.3.1 Negative";
  let tensorsIn = UnaryIn;
  let tensorsOut = UnaryOut;
  let floatKernels = ["yk_unary_float"];
  let intKernels = ["yk_activation_int"];
  let resolved = [Resolved<"the example has no scale and shift, and the result of unsigned inputs is not specified", "input and result share their scale; the result of an unsigned input is signed">];
}
def Compass_SignOp : Compass_Op<"sign", "Sign", SignRule, Requant> {
  let facts = [ElementwiseLayer, InPlaceLayer];
  let summary = "-1, 0 or 1";
  let formula = "y = -1 where x < 0, 0 where x = 0, 1 where x > 0; in integers the sign of x + zp";
  let source = "Compass IR 7.3, 4.3.1 Sign";
  let tensorsIn = UnaryIn;
  let tensorsOut = UnaryOut;
  let floatKernels = ["yk_unary_float"];
  let intKernels = ["yk_activation_int"];
  let resolved = [Resolved<"no table and no scale are listed, and the example's result has scale 1", "the result holds the integers -1, 0 and 1">];
}

#endif // YARROW_DIALECTS_COMPASS_ACTIVATION_UNARYOPS_TD
