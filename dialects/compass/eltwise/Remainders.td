//===- Remainders.td - Remainders of divisions ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_ELTWISE_REMAINDERS_TD
#define YARROW_DIALECTS_COMPASS_ELTWISE_REMAINDERS_TD

include "dialects/compass/eltwise/Binary.td"

def Compass_DivModOp : Compass_Op<"div_mod", "DivMod", StoredRule, [
    WordKey<"mode", "how the quotient is rounded", "FLOOR", ["FLOOR", "TRUNC"]>], "inferDivMod"> {
  let resultTypes = "FromInput";
  let facts = [ElementwiseLayer];
  let summary = "integer quotient and remainder with broadcasting";
  let formula = "q = x1 / x2 rounded down (FLOOR) or towards zero (TRUNC), r = x1 - q * x2; q = r = 0 where x2 = 0";
  let source = "reference parser";
  let tensorsIn = [Tensor<"x1", "...", "dividend", "Integer">, Tensor<"x2", "...", "divisor, broadcast with the dividend", "Integer">];
  let tensorsOut = [Tensor<"q", "...", "quotient", "Integer">, Tensor<"r", "...", "remainder", "Integer">];
  let intKernels = ["yk_eltwise_int"];
}

def Compass_ModOp : BinaryFunctionLayer<"mod", "Mod", "getFmod() ? BinaryOp::FMod : BinaryOp::Mod", [
    BoolKey<"fmod", "true: the remainder has the sign of the dividend; false: of the divisor">,
    ScalesKey<"scale_value", "multipliers that bring x1 and x2 to the scale of the result">,
    ShiftsKey<"shift_value", "their right shifts">]> {
  let rule = RemainderRule;
  let multipliers = "Operands";
  let intKernels = ["yk_eltwise_int", "yk_activation_int"];
  let summary = "remainder with broadcasting";
  let formula = "y = x1 - x2 * floor(x1 / x2), with fmod y = x1 - x2 * trunc(x1 / x2); in integers the operands are RQ(xi + zpi, scale[i], shift[i])";
  let source = "Compass IR 7.3, 4.3.1 Mod";
  let tensorsIn = [Tensor<"x1", "...", "dividend">, Tensor<"x2", "...", "divisor, broadcast with the dividend">];
  let resolved = [BroadcastReading,
    Resolved<"in the text the remainder has the sign of the dividend, but the example is a floor remainder with fmod=false",
      "fmod=false: the sign of the divisor; fmod=true: the sign of the dividend">,
    Resolved<"the rescaling of the result is not specified", "p = RQ(x1 + zp1, scale[0], shift[0]) in the range of x1's type, q likewise, y = p mod q less the zero point of the result">,
    Resolved<"the result for a divisor of zero is not specified", "0 in integers (Yarrow's choice: the reference's is unknown), NaN in floats">];
}

#endif // YARROW_DIALECTS_COMPASS_ELTWISE_REMAINDERS_TD
