//===- ActivationOps.td - Operators on single values ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_ACTIVATION_ACTIVATIONOPS_TD
#define YARROW_DIALECTS_COMPASS_ACTIVATION_ACTIVATIONOPS_TD

include "dialects/compass/activation/UnaryOps.td"

defvar LinearMethods = ["RELU", "RELU6", "CLIP", "LEAKYRELU", "PRELU", "CRELU"];
defvar TableMethods = ["SIGMOID", "TANH", "GELU", "ELU", "SELU", "CELU", "HARDSWISH", "HARDSIGMOID", "SOFTPLUS", "SOFTSIGN",
                       "SILU", "SWISH", "MISH", "SHRINK", "THRESHOLDEDRELU"];

// A method of RELU's kind has scale and shift; the others are one table.
class TableMethod<string n, string f> : Method<n, !strconcat(f, "; in integers ", TableLookup)>;

def Compass_ActivationOp : Compass_Op<"activation", "Activation", ActivationRule, [
    TensorKey<"negative_slope", "PRELU: slope of negative values; integers: times 2^negative_slope_shift", "Both", "Required", ["PRELU"]>,
    TensorKey<"lut", "the function over the input's range, in the result's type", "Int", "Required", TableMethods>,
    MethodKey<"RELU">,
    NumberKey<"clip_min", "CLIP: lower bound; for 8-bit integers with 8 more fractional bits than the result", ["CLIP"], "Required">,
    NumberKey<"clip_max", "CLIP: upper bound, in the same form", ["CLIP"], "Required">,
    NumberKey<"negative_slope_value", "LEAKYRELU: slope of negative values", ["LEAKYRELU"], "Required">,
    OptIntKey<"negative_slope_shift", "right shift of slope products; absent (LEAKYRELU only): the number of bits of the result; up to 31, or the shift of a multiplier", "Int", [], "Optional", [0, 62]>,
    NumberKey<"alpha", "parameter of the function, see the methods", ["HARDSIGMOID"], "Required", "Float">,
    NumberKey<"beta", "HARDSIGMOID: offset", ["HARDSIGMOID"], "Required", "Float">,
    NumberKey<"gamma", "SELU: outer factor; absent: 1.05070098">,
    NumberKey<"bias", "SHRINK: distance by which values move towards 0; absent: 0">,
    NumberKey<"lambd", "SHRINK: threshold; absent: 0.5">,
    IrKey<"axis", "Int", OptionalAttr<I64Attr>, "CRELU: axis along which the two halves are joined; absent: the last", "Optional", ["CRELU"]>,
    OptWordKey<"approximate", "GELU: NONE is exact, TANH the approximation; absent: NONE", "Both", ["NONE", "TANH"]>,
    IntsKey<"scale_value", "multiplier of the result", "Int", "Required", [], LinearMethods>,
    IntsKey<"shift_value", "right shift of the result", "Int", "Required", [], LinearMethods>,
    RequantRoundingKey<["RELU", "RELU6", "LEAKYRELU"]>]> {
  let facts = [ElementwiseLayer, InPlaceLayer];
  let summary = "an activation function as a separate layer";
  let formula = "y = f(x), see the methods";
  let source = "Compass IR 7.3, 4.3.1 CRelu, Celu, Clip, Elu, Gelu, HardSigmoid, HardSwish, LeakyRelu, Mish, PRelu, Relu, Relu6, Selu, Shrink, Sigmoid, Silu, Softplus, Softsign, Swish, Tanh, ThresholdedRelu";
  let tensorsIn = UnaryIn;
  let tensorsOut = [Tensor<"y", "...", "of the shape of x; CRELU doubles its axis">];
  let floatKernels = ["yk_unary_float", "yk_prelu_float", "yk_concat"];
  let intKernels = ["yk_activation_int", "yk_prelu_int", "yk_lut", "yk_concat"];
  let methods = [
    Method<"RELU", "max(x, 0); in integers RQ(max(x + zp, 0), scale, shift)">,
    Method<"RELU6", "min(max(x, 0), 6); in integers as RELU, where the saturation of the result is the upper bound">,
    Method<"CLIP", "min(max(x, clip_min), clip_max); in 8-bit integers r = clip(RNE((x + zp) * scale / 2^(shift - 8)), clip_min, clip_max), y = RNE(r / 2^8) - zp">,
    Method<"LEAKYRELU", "x where x >= 0, else slope * x; in integers a = x + zp, y = RQ(max(a, 0) + RNE(min(a, 0) * slope / 2^negative_slope_shift), scale, shift); with requant_rounding HALF_UP or DOUBLE RQ(a, scale, shift) where a >= 0, else RQ(a, slope, negative_slope_shift), as TFLite">,
    Method<"PRELU", "as LEAKYRELU, but the slope is a tensor: negative_slope, broadcast to x">,
    Method<"CRELU", "max(x, 0) and max(-x, 0) joined along axis; in integers RQ of each">,
    TableMethod<"SIGMOID", "1 / (1 + e^-x)">,
    TableMethod<"TANH", "tanh(x)">,
    TableMethod<"GELU", "x * (1 + erf(x / sqrt(2))) / 2, or with approximate=TANH x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) / 2">,
    TableMethod<"ELU", "x where x >= 0, else alpha * (e^x - 1); alpha absent: 1">,
    TableMethod<"SELU", "gamma * x where x > 0, else gamma * alpha * (e^x - 1); alpha absent: 1.67326324">,
    TableMethod<"CELU", "max(x, 0) + min(alpha * (e^(x / alpha) - 1), 0); alpha absent: 1">,
    TableMethod<"HARDSWISH", "x * min(max(x + 3, 0), 6) / 6">,
    TableMethod<"HARDSIGMOID", "min(max(alpha * x + beta, clip_min), clip_max); bounds absent: 0 and 1">,
    TableMethod<"SOFTPLUS", "ln(1 + e^x)">,
    TableMethod<"SOFTSIGN", "x / (1 + |x|)">,
    TableMethod<"SILU", "x / (1 + e^-x)">,
    TableMethod<"SWISH", "x / (1 + e^(-alpha * x)); alpha absent: 1">,
    TableMethod<"MISH", "x * tanh(ln(1 + e^x))">,
    TableMethod<"SHRINK", "x + bias where x < -lambd, x - bias where x > lambd, else 0">,
    TableMethod<"THRESHOLDEDRELU", "x where x > alpha, else 0; alpha absent: 1">];
  let keyVariants = [KeyVariant<"negative_slop_value", "negative_slope_value">];
  let resolved = [
    Resolved<"CELU is printed as alpha * e^(x / alpha) - 1", "alpha * (e^(x / alpha) - 1), because the printed form jumps at 0">,
    Resolved<"CELU lists six element types for its table", "a table has the type of the result, of 8 or 16 bits">,
    Resolved<"the scale of CLIP's bounds in integer IR is not specified (the example has 65972 and -18784)", "for 8-bit results, the result's scale with 8 more fractional bits, before the zero point; for 16-bit results, the stored values, zero point included">,
    Resolved<"CLIP calls its bounds inputs", "they are the keys clip_min and clip_max; the layer has one input">,
    Resolved<"whether GELU is exact or approximate is not specified", "exact, unless approximate=TANH; in integers the table decides">,
    Resolved<"alpha and beta of HARDSIGMOID are called parameters of float IR, but an integer example has them", "integer IR keeps them, but the table decides; float IR requires them, because writers differ in alpha (0.2 and 1/6)">,
    Resolved<"only the examples have negative_slope_shift", "with LEAKYRELU, if absent, the number of bits of the result, as the reference assumes; PRELU requires it, and the reference writes 12">,
    Resolved<"PRELU has negative_slope_shift as a key without _value and _type", "one integer, as printed">,
    Resolved<"the example of LEAKYRELU has the slope 1083 as a uint8", "a value must fit its type">,
    Resolved<"whether PRELU's slope has the shape of x or one value per channel is unclear", "any shape that broadcasts to x, aligned at the innermost axes">,
    Resolved<"no key holds the quantized 6 of RELU6", "none is needed: the result's scale puts 6 at the end of its type's range">,
    Resolved<"the defaults of SELU are not specified", "alpha 1.67326324 and gamma 1.05070098, as in ONNX">,
    Resolved<"the default of SWISH's alpha is not specified", "1">];
}

#endif // YARROW_DIALECTS_COMPASS_ACTIVATION_ACTIVATIONOPS_TD
