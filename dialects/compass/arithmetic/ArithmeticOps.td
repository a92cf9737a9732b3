//===- ArithmeticOps.td - Division, remainders and affine sums ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_ARITHMETIC_ARITHMETICOPS_TD
#define YARROW_DIALECTS_COMPASS_ARITHMETIC_ARITHMETICOPS_TD

include "dialects/compass/KnownOps.td"
include "dialects/compass/eltwise/Binary.td"

def Compass_DivOp : Compass_InferredOp<"div", "Div", EltwiseRule, !listconcat([
    TensorKey<"lut", "reciprocals, uint16: round(65535 / k) at k, 0 at 0", "Int", "Required">], Requant), "inferBroadcastShape"> {
  let summary = "quotient with broadcasting";
  let formula = "y = x1 / x2; in integers y = RQ(sign(d) * (x1 + zp1) * lut[|d|], scale, shift) with d = x2 + zp2";
  let source = "Compass IR 7.3, 4.3.1 Div";
  let tensorsIn = [Tensor<"x1", "...", "dividend">, Tensor<"x2", "...", "divisor, broadcast with the dividend">];
  let tensorsOut = BinaryOut;
  let resolved = [BroadcastReading,
    Resolved<"the scale is a vector in the text, one value beside a table of 256 entries in the example", "one scale, one shift and the table">,
    Resolved<"division by zero and the table's index for signed divisors are not told",
      "the index is the magnitude of the divisor, its sign multiplies the product; integer division by 0 gives the real zero, float division what IEEE 754 says">];
}

def Compass_DivModOp : Compass_InferredOp<"div_mod", "DivMod", IndexRule, [
    WordKey<"mode", "how the quotient is rounded", "FLOOR", ["FLOOR", "TRUNC"]>], "inferDivMod"> {
  let summary = "integer quotient and remainder with broadcasting";
  let formula = "q = x1 / x2 rounded down (FLOOR) or towards zero (TRUNC), r = x1 - q * x2; q = r = 0 where x2 = 0";
  let source = "reference parser";
  let tensorsIn = [Tensor<"x1", "...", "dividend", "Integer">, Tensor<"x2", "...", "divisor, broadcast with the dividend", "Integer">];
  let tensorsOut = [Tensor<"q", "...", "quotient", "Integer">, Tensor<"r", "...", "remainder", "Integer">];
}

def Compass_ModOp : Compass_InferredOp<"mod", "Mod", EltwiseRule, [
    BoolKey<"fmod", "true: the remainder has the sign of the dividend; false: of the divisor">,
    ScalesKey<"scale_value", "multipliers that bring x1 and x2 to the scale of the result">,
    ShiftsKey<"shift_value", "their right shifts">], "inferMod"> {
  let summary = "remainder with broadcasting";
  let formula = "y = x1 - x2 * floor(x1 / x2), with fmod y = x1 - x2 * trunc(x1 / x2); in integers the operands are RQ(xi + zpi, scale[i], shift[i])";
  let source = "Compass IR 7.3, 4.3.1 Mod";
  let tensorsIn = [Tensor<"x1", "...", "dividend">, Tensor<"x2", "...", "divisor, broadcast with the dividend">];
  let tensorsOut = BinaryOut;
  let resolved = [BroadcastReading,
    Resolved<"the sign of the remainder follows the dividend in the text; the example is a floor remainder with fmod=false",
      "fmod=false: the sign of the divisor; fmod=true: the sign of the dividend">,
    Resolved<"the rescaling of the result is not given", "p = RQ(x1 + zp1, scale[0], shift[0]) in the range of x1's type, q likewise, y = p mod q less the zero point of the result">,
    Resolved<"a divisor of zero is not told", "0 in integers (our choice: nothing shows the reference's), NaN in floats">];
}

def Compass_SquaredDifferenceOp : Compass_InferredOp<"squared_difference", "SquaredDifference", EltwiseRule, [
    ShiftsKey<"shift_value", "right shifts of the result, x1 and x2">,
    ScalesKey<"scale_value", "multipliers of the result, x1 and x2">], "inferSquaredDifference"> {
  let summary = "square of the difference with broadcasting";
  let formula = "y = (x1 - x2)^2; in integers y = RQ(clip32((RQ(x1 + zp1, scale[1], shift[1]) - RQ(x2 + zp2, scale[2], shift[2]))^2), scale[0], shift[0])";
  let source = "Compass IR 7.3, 4.3.1 SquaredDifference";
  let tensorsIn = BinaryIn;
  let tensorsOut = BinaryOut;
  let resolved = [
    Resolved<"broadcasting is not mentioned", "as of the other layers on two tensors">,
    Resolved<"the definition has four scales [out, x1, x2, difference] and two shifts [out, difference], the reference writes three of each [out, x1, x2]",
      "both forms are read; the reference's is the one with a meaning in integers here">];
}

def Compass_BiasAddOp : Compass_InferredOp<"bias_add", "BiasAdd", BatchNormRule, !listconcat([
    TensorKey<"biases", "bias, one per channel (the last axis)", need="Required">], Requant), "inferBiasAdd"> {
  let summary = "sum with one value per channel";
  let formula = "y = x + biases[c]; in integers y = RQ(x + zp + biases[c], scale, shift)";
  let source = "Compass IR 7.3, 4.3.1 BiasAdd";
  let tensorsIn = [Tensor<"x", "...", "channels last">];
  let tensorsOut = [Tensor<"y", "...", "of the shape of x">];
  let resolved = [
    Resolved<"the example has the shift -7, whose meaning is not told", "a negative shift multiplies by 2 to the power of its magnitude">,
    Resolved<"broadcasting of different ranks is said to be supported, yet the bias has one axis", "one axis as long as the last of x; other shapes are an error">,
    Resolved<"the example lacks layer_top_scale and layer_top_zp", "such a result is read as plain integers, scale 1 and zero point 0">];
}

def Compass_GemmOp : Compass_InferredOp<"gemm", "Gemm", MatMulRule, [
    BoolKey<"trans_a", "A is stored transposed">, BoolKey<"trans_b", "B is stored transposed">,
    FloatKey<"alpha", "factor of the product", "1.0">, FloatKey<"beta", "factor of C", "1.0">,
    ShiftsKey<"shift_value", "right shift of the result">,
    IntsKey<"scale_value", "multipliers of the result, A*B and C; without C that of the result alone", "Int", "Required">], "inferGemm"> {
  let summary = "general matrix product";
  let formula = "y = alpha * A * B + beta * C; in integers y = RQ((A + zpA) * (B + zpB) * scale[1] + (C + zpC) * scale[2], scale[0], shift), alpha and beta inside the scales";
  let source = "Compass IR 7.3, 4.3.1 Gemm";
  let tensorsIn = [Tensor<"a", "rows, inner", "[M,K], or [K,M] with trans_a">, Tensor<"b", "inner, columns", "[K,N], or [N,K] with trans_b">,
                   OptTensor<"c", "...", "broadcast to [M,N]">];
  let tensorsOut = [Tensor<"y", "rows, columns", "[M,N]">];
  let keyVariants = [KeyVariant<"heta", "beta">];
  let resolved = [
    Resolved<"the scale has two elements in the text and three in the example, the shift two against one", "scale_value = [out, A*B, C] and one shift; without C one scale">,
    Resolved<"the example has 177 as an int8", "a value must fit its type; of Gemm alone types bound nothing, for the reference writes multipliers beyond uint16">,
    Resolved<"defaults of alpha, beta and the transpositions are not told", "1, 1, false, false">,
    Resolved<"beta is printed heta once", "beta; heta is read">];
}

def Compass_FakeQuantWithMinMaxVarsOp : Compass_InferredOp<"fake_quant_with_min_max_vars", "FakeQuantWithMinMaxVars", PassRule, [
    IntKey<"num_bits", "bits of the grid", "8", [], [2, 16]>,
    BoolKey<"narrow_range", "the grid starts at 1, not at 0">,
    OptFloatKey<"min", "least value before it is moved onto the grid", "Both", [], "Required">,
    OptFloatKey<"max", "greatest value before it is moved onto the grid", "Both", [], "Required">], "inferFakeQuant"> {
  let summary = "values rounded to the grid of a quantized tensor";
  let formula = "s = (2^num_bits - 1 - least) / (max - min) after min is moved so that 0 lies on the grid; y = clip(round((x - min) * s), 0, 2^num_bits - 1 - least) / s + min, least = 1 with narrow_range, else 0; in integer IR y = x";
  let source = "reference parser";
  let tensorsIn = [Tensor<"x", "...", "values">];
  let tensorsOut = [Tensor<"y", "...", "of the shape of x">];
}

#endif // YARROW_DIALECTS_COMPASS_ARITHMETIC_ARITHMETICOPS_TD
