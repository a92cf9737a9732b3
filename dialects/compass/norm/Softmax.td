//===- Softmax.td - Softmax and its logarithm -----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_NORM_SOFTMAX_TD
#define YARROW_DIALECTS_COMPASS_NORM_SOFTMAX_TD

include "dialects/compass/norm/Normalising.td"

def Compass_SoftmaxOp : Compass_Op<"softmax", "Softmax", SoftmaxRule, [
    TensorKey<"lut", "LUT: exponentials of x - max(x), uint32", "Int", "Required", ["LUT"], "quantize_method">,
    TensorKey<"pow2_lut", "FAST_EXP with adjust_q above 1: powers of two, uint16", "Int">,
    TensorKey<"log2_lut", "FAST_EXP with adjust_q above 1: logarithms, int16", "Int">,
    IntKey<"axis", "axis that sums to one", "-1">,
    IrKey<"quantize_method", "Word", DefaultValuedOptionalAttr<StrAttr, "\"LUT\"">, "how integers are computed", "Optional", [], "Int", ["LUT", "FAST_EXP"]>,
    IrKey<"scale_value", "Ints", OptionalAttr<DenseI64ArrayAttr>, "LUT: multiplier of the result", "Expected", ["LUT"], "Int", [], [0, 65535], "quantize_method">,
    IrKey<"shift_value", "Ints", OptionalAttr<DenseI64ArrayAttr>, "LUT: its right shift", "Expected", ["LUT"], "Int", [], [-32, 62], "quantize_method">,
    IrKey<"input_scale_value", "Int", OptionalAttr<I64Attr>, "FAST_EXP: log2(e) / scale as a multiplier", "Required", ["FAST_EXP"], "Int", [], [0, 65535], "quantize_method">,
    IrKey<"input_shift_value", "Int", OptionalAttr<I64Attr>, "FAST_EXP: its right shift", "Required", ["FAST_EXP"], "Int", [], [0, 62], "quantize_method">,
    IrKey<"pow2_out_q", "Int", OptionalAttr<I64Attr>, "FAST_EXP: fractional bits of the exponentials", "Required", ["FAST_EXP"], "Int", [], [0, 31], "quantize_method">,
    IrKey<"adjust_q", "Int", OptionalAttr<I64Attr>, "FAST_EXP: 0 or 1 without tables, where 1 halves the steps of the sum's logarithm; 8 to 15 with tables: its fractional bits", "Required", ["FAST_EXP"], "Int", [], [0, 15], "quantize_method">]> {
  let facts = [AxesByKeyLayer];
  let axisKeys = ["axis"];
  let summary = "softmax along an axis";
  let formula = "d = x - max(x over axis); y = exp(d) / sum(exp(d) over axis)";
  let description = [{
    Integers with quantize_method LUT: e = lut[d], y = e * scale / sum(e) >> shift. The shape decides how this is rounded:
    numerators first if the axis is shorter than 8 and the other axes are a multiple of 128, else the reciprocal of the sum first.
    FAST_EXP uses powers of two instead of exponentials. With adjust_q 0 or 1 the exponents are integers, so all results are
    powers of two. With 8 to 15 exponents have that many fractional bits; the first eight index tables of 256 entries.
  }];
  let source = "Compass IR 7.3, 4.3.1 Softmax";
  let tensorsIn = [Tensor<"x", "...", "values">];
  let tensorsOut = [Tensor<"y", "...", "of the shape of x">];
  let floatKernels = ["yk_softmax_float"];
  let intKernels = ["yk_softmax_lut_int", "yk_softmax_exp_int", "yk_softmax_pow2_int"];
  let resolved = [
    Resolved<"whether the maximum is subtracted is not specified", "it is: the table covers x - max(x)">,
    Resolved<"the text has scale and shift, but the example does not", "quantize_method LUT requires scale_value and shift_value; FAST_EXP does not use them">,
    Resolved<"the reference does not limit FAST_EXP with tables, although a single largest value gives 256, which exceeds 8 bits", "results are limited to the range of the output">,
    Resolved<"only the reference has quantize_method, input_scale, input_shift, pow2_out_q and adjust_q", "they are read; quantize_method is LUT if absent">];
}

def Compass_LogSoftmaxOp : NormalizationOp<"log_softmax", "LogSoftmax", LogSoftmaxRule, !listconcat([
    TensorKey<"lut_exp", "exponentials of x - max(x), float32 or uint32", "Int", "Required">,
    TensorKey<"lut_log", "logarithms of sums, for the definition's form", "Int">,
    IntKey<"axis", "axis whose exponentials sum to one", "-1">,
    FloatListKey<"quantize_scale", "scales of the table and of the result", "Optional", "Int">], Requant), "inferLogSoftmax"> {
  let facts = [AxesByKeyLayer];
  let axisKeys = ["axis"];
  let summary = "logarithm of the softmax along an axis";
  let formula = "d = x - max(x over axis); y = d - ln(sum(exp(d) over axis))";
  let description = [{
    Integers with a float32 table: e = lut_exp[d], y = RNE(d * quantize_scale[0] - ln(sum(e)) * quantize_scale[1]) - zp in floats.
    With two tables: y = lut_log[s], where s is the softmax with quantize_method LUT, lut_exp, scale and shift, without a zero point.
  }];
  let source = "Compass IR 7.3, 4.3.1 LogSoftmax";
  let floatKernels = ["yk_softmax_float"];
  let intKernels = ["yk_log_softmax_int", "yk_softmax_lut_int", "yk_lut"];
  let resolved = [
    Resolved<"an optional second input is not explained", "one input is accepted">,
    Resolved<"the entry of the shift repeats the text of the scale", "one scale_value and one shift_value">,
    Resolved<"lists in the example contain quoted words", "quotes are read, but not written">,
    Resolved<"whether the maximum is subtracted is not specified", "it is: the table covers x - max(x)">,
    Resolved<"the definition has two integer tables, the reference one float table and quantize_scale", "both forms are read">];
}

#endif // YARROW_DIALECTS_COMPASS_NORM_SOFTMAX_TD
