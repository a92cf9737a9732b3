//===- ConvertOps.td - Conversions of element type ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_CONVERT_CONVERTOPS_TD
#define YARROW_DIALECTS_COMPASS_CONVERT_CONVERTOPS_TD

include "dialects/compass/CompassBase.td"

defvar CastTypes = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "bfloat16", "float32", "float64",
  "aligned_int4", "aligned_uint4", "aligned_int12", "aligned_uint12"];

def Compass_CastOp : Compass_Op<"cast", "Cast", CastRule, !listconcat([
    OptWordKey<"to_dtype", "element type of the result; absent: layer_top_type", "Both", CastTypes>,
    BoolKey<"ignore_scale_zp", "convert the stored integers without rescaling">,
    WordKey<"clip_mode", "how values beyond the result's type are stored", "SATURATION", ["SATURATION", "TRUNCATION", "SATURETION", "SATUETION"]>], WideRequant)> {
  let hasFolder = 1;
  let definitions = FoldsCopy;
  let resultTypes = "ToDtype";
  let facts = [ElementwiseLayer, MovesOnlyLayer];
  let summary = "conversion of element type";
  let formula = "y = x in the type to_dtype; from integers to integers: with scale_value y = RQ(x + zp, scale, shift), without it y = x + zpIn - zpOut, with ignore_scale_zp y = x";
  let source = "Compass IR 7.3, 4.3.1 Cast";
  let tensorsIn = [Tensor<"x", "...", "values">];
  let tensorsOut = [Tensor<"y", "...", "of the shape of x">];
  let kernels = ["yk_cast"];
  let resolved = [
    Resolved<"SATURATION is printed SATURETION and SATUETION", "all three saturate; TRUNCATION drops the bits beyond the type, as a conversion in C does">,
    Resolved<"the defaults of clip_mode and ignore_scale_zp are not specified", "SATURATION and false">,
    Resolved<"uint32 is missing from the list of types, though tables and indices use it", "every element type of the format is accepted">,
    Resolved<"the reference's integer IR can keep the to_dtype of float IR", "a float type there is ignored: the result is quantized, and its tensor's type decides">];
}
def Compass_QuantizeOp : Compass_Op<"quantize", "Quantize", ConversionRule, [
    OptWordKey<"round_mode", "how values between two integers are rounded; absent: half to even; Yarrow's own EVEN_FIRST and AWAY_FIRST round ties to even or away from 0 before the zero point is subtracted, as TFLite does", "Int", ["ROUND_TO_EVEN", "EVEN_FIRST", "AWAY_FIRST"]>,
    OptFloatKey<"quantize_scale", "scale of the result, if its tensor has no scale", "Both", [], "Expected">,
    OptIntKey<"quantize_zp", "zero point of the result, if its tensor has no zero point", "Both", [], "Expected">]> {
  let resultTypes = "Given";
  let facts = [ElementwiseLayer];
  let summary = "float to quantized";
  let formula = "y = clip(RNE(x * scale - zp)), or clip(round(x * scale) - zp)";
  let source = "reference parser";
  let tensorsIn = [Tensor<"x", "...", "values", "Float">];
  let tensorsOut = [Tensor<"y", "...", "of the shape of x", "Integer">];
  let kernels = ["yk_quantize"];
}
def Compass_DeQuantizeOp : Compass_Op<"dequantize", "DeQuantize", ConversionRule, [
    OptFloatKey<"quantize_scale", "scale of the operand, if its tensor has no scale", "Both", [], "Expected">,
    OptIntKey<"quantize_zp", "zero point of the operand, if its tensor has no zero point", "Both", [], "Expected">]> {
  let resultTypes = "Given";
  let facts = [ElementwiseLayer];
  let summary = "quantized to float";
  let formula = "y = (x + zp) * (1 / scale)";
  let source = "reference parser";
  let tensorsIn = [Tensor<"x", "...", "values", "Integer">];
  let tensorsOut = [Tensor<"y", "...", "of the shape of x", "Float">];
  let kernels = ["yk_dequantize"];
}

def Compass_FakeQuantWithMinMaxVarsOp : Compass_Op<"fake_quant_with_min_max_vars", "FakeQuantWithMinMaxVars", PassRule, [
    IntKey<"num_bits", "bits of the grid", "8", [], [2, 16]>,
    BoolKey<"narrow_range", "the grid starts at 1, not at 0">,
    OptFloatKey<"min", "least value, before it is moved to the grid", "Both", [], "Required">,
    OptFloatKey<"max", "greatest value, before it is moved to the grid", "Both", [], "Required">]> {
  let resultTypes = "FromInput";
  let facts = [ElementwiseLayer];
  let floatKernels = ["yk_quantize", "yk_dequantize"];
  let intKernels = ["yk_cast"];
  let summary = "values rounded to the grid of a quantized tensor";
  let formula = "s = (2^num_bits - 1 - least) / (max - min) after min is moved so that the grid contains 0; y = clip(round((x - min) * s), 0, 2^num_bits - 1 - least) / s + min, least = 1 with narrow_range, else 0; in integer IR y = x";
  let source = "reference parser";
  let tensorsIn = [Tensor<"x", "...", "values">];
  let tensorsOut = [Tensor<"y", "...", "of the shape of x">];
}

#endif // YARROW_DIALECTS_COMPASS_CONVERT_CONVERTOPS_TD
