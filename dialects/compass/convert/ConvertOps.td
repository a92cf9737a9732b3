//===- ConvertOps.td - Conversions of element type ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_CONVERT_CONVERTOPS_TD
#define YARROW_DIALECTS_COMPASS_CONVERT_CONVERTOPS_TD

include "dialects/compass/CompassBase.td"

def Compass_CastOp : Compass_Op<"cast", "Cast", CastRule, !listconcat([
  OptWordKey<"to_dtype", "element type of the result">,
  BoolKey<"ignore_scale_zp", "convert the stored integers as they are">,
  WordKey<"clip_mode", "SATURATION or TRUNCATION", "SATURATION">], Requant)> {
  let summary = "conversion of element type";
}
def Compass_QuantizeOp : Compass_Op<"quantize", "Quantize", CastRule, [
  OptWordKey<"round_mode", "ROUND_TO_EVEN", "Int">, OptFloatKey<"quantize_scale", "scale of the result">,
  OptIntKey<"quantize_zp", "zero point of the result">]> {
  let summary = "float to quantized";
  let tensorsIn = [Tensor<"x", "...", "float values", "Float">];
  let tensorsOut = [Tensor<"y", "...", "integers", "Integer">];
}
def Compass_DeQuantizeOp : Compass_Op<"dequantize", "DeQuantize", CastRule, [
  OptFloatKey<"quantize_scale", "scale of the operand">, OptIntKey<"quantize_zp", "zero point of the operand">]> {
  let summary = "quantized to float";
}

#endif // YARROW_DIALECTS_COMPASS_CONVERT_CONVERTOPS_TD
