//===- EltwiseOps.td - Arithmetic on two tensors --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_ELTWISE_ELTWISEOPS_TD
#define YARROW_DIALECTS_COMPASS_ELTWISE_ELTWISEOPS_TD

include "dialects/compass/eltwise/Remainders.td"

defvar AlignedScales = "scale_value = [out, x1, x2] and one shift_value: y = RQ((x1 + zp1) * scale[1] OP (x2 + zp2) * scale[2], scale[0], shift)";

def OperandLeftShift : OptIntKey<"operand_left_shift",
  "ADD and SUB with three values of shift_value: left shift of the operands, without their zero points, before each is "
  "requantized; a key of Yarrow's own; absent: 0", "Int", [], "Optional", [0, 20]>;

// TFLite's sums, an extension of ours.
defvar ApartScales = "; with three values of shift_value each operand is requantized separately: y = RQ(RQ((x1 + zp1) * "
  "2^operand_left_shift, scale[1], shift[1]) OP RQ((x2 + zp2) * 2^operand_left_shift, scale[2], shift[2]), scale[0], shift[0]), as TFLite";

defvar ScaleCountReading = Resolved<"the scale is a vector of 'more than two elements'",
  !strconcat("one value for the result and one for each operand: ", AlignedScales, "; a product has only the first")>;

defvar ZeroPointReading = Resolved<"the order of zero points, scales and rounding is not specified",
  "zero points of operands are added before scaling, the result's is subtracted after rounding; rounding is half to even">;

// The layers that are one arithmetic operation state no activation in the
// definition; the reference parser writes NONE to float IR.
class Compass_BinaryOp<string mnemonic, string layerType> :
    BinaryFunctionLayer<mnemonic, layerType, "BinaryOp::" # layerType, !listconcat(
      [WordKey<"with_activation", "activation applied to the result", "NONE", Activations, [], "Optional">],
      !tail(FusedActivation), WideRequant, [OperandLeftShift])> {
  let facts = [ElementwiseLayer, ActivatedLayer];
  let source = "Compass IR 7.3, 4.3.1 " # layerType;
}
class SameTypesReading<string name> : Resolved<"operands and result must have one type, but in integer IR quantization decides the types",
  "types can differ in an integer " # name # "; either all tensors are floats, or none of them">;

defvar SameActivationReading = Resolved<"how the layer differs from Eltwise with the same method is not specified",
  "they are the same: with_activation is read here, too; absent: NONE">;

def Compass_EltwiseOp : BinaryFunctionLayer<"eltwise", "Eltwise", "binaryNamed(getMethod())", !listconcat(
    FusedActivation, [MethodKey<"ADD">], WideRequant, [OperandLeftShift])> {
  let facts = [ElementwiseLayer, ActivatedLayer];
  let summary = "elementwise arithmetic with broadcasting";
  let formula = !strconcat("y = activation(x1 OP x2); in integers ", AlignedScales, ApartScales);
  let source = "Compass IR 7.3, 4.3.1 ElementwiseAdd, ElementwiseMax, ElementwiseMin, ElementwiseMul, ElementwiseSub";
  let methods = [
    Method<"ADD", "y = x1 + x2">,
    Method<"SUB", "y = x1 - x2">,
    Method<"MUL", "y = x1 * x2; in integers y = RQ((x1 + zp1) * (x2 + zp2), scale, shift)">,
    Method<"MAX", "y = max(x1, x2)">,
    Method<"MIN", "y = min(x1, x2)">];
  let resolved = [ScaleCountReading, ZeroPointReading, BroadcastReading,
    Resolved<"SUB of more than two inputs has no meaning", "two inputs; more are an error">,
    Resolved<"ADD, MAX, MIN and MUL take a list of inputs", "two inputs, as the reference writes them; for more, write a chain of layers">,
    Resolved<"PRELU's slope has one value per channel here, but in Activation any shape that broadcasts",
      "any shape that repeats along the innermost axes of the result, including one value per channel">];
}

def Compass_AddOp : Compass_BinaryOp<"add", "Add"> {
  let summary = "sum with broadcasting";
  let formula = !strconcat("y = x1 + x2; in integers ", AlignedScales, ApartScales);
  let resolved = [ScaleCountReading, SameActivationReading, SameTypesReading<"Add">, ZeroPointReading, BroadcastReading,
    Resolved<"the example gives layer_top_scale twice with different values", "a key that is given twice with different values is an error">];
}

def Compass_SubOp : Compass_BinaryOp<"sub", "Sub"> {
  let summary = "difference with broadcasting";
  let formula = !strconcat("y = x1 - x2; in integers ", AlignedScales, ApartScales);
  let resolved = [ScaleCountReading, SameActivationReading, SameTypesReading<"Sub">, ZeroPointReading, BroadcastReading,
    Resolved<"the example gives layer_top_scale twice with different values", "a key that is given twice with different values is an error">];
}

def Compass_MulOp : Compass_BinaryOp<"mul", "Mul"> {
  let summary = "product with broadcasting";
  let formula = "y = x1 * x2; in integers y = RQ((x1 + zp1) * (x2 + zp2), scale, shift)";
  let resolved = [
    Resolved<"the section and its example have layer_type Add", "Mul, as the reference writes it">,
    Resolved<"the scale is a vector of 'more than two elements', but the example has one", "one multiplier and one shift, because a product needs no alignment">,
    SameActivationReading, SameTypesReading<"Mul">, BroadcastReading,
    Resolved<"the example gives layer_top_scale twice with different values", "a key that is given twice with different values is an error">];
}

def Compass_DivOp : BinaryFunctionLayer<"div", "Div", "BinaryOp::Div", !listconcat([
    TensorKey<"lut", "reciprocals: uint16 with round(65535 / k) at k and 0 at 0, or uint32 up to 2^28", "Int", "Required">], Requant)> {
  let rule = DivisionRule;
  let intKernels = ["yk_div_int", "yk_eltwise_int"];
  let summary = "quotient with broadcasting";
  let formula = "y = x1 / x2; in integers y = RQ(sign(d) * (x1 + zp1) * lut[|d|], scale, shift) with d = x2 + zp2";
  let source = "Compass IR 7.3, 4.3.1 Div";
  let tensorsIn = [Tensor<"x1", "...", "dividend">, Tensor<"x2", "...", "divisor, broadcast with the dividend">];
  let resolved = [BroadcastReading,
    Resolved<"integers without a scale are not mentioned", "in float IR their quotient is rounded towards zero, and is 0 if the divisor is 0">,
    Resolved<"the text has a vector of scales, the example one scale and a table of 256 entries", "one scale, one shift and the table">,
    Resolved<"division by zero, and the table's index for signed divisors, are not specified",
      "the index is the divisor's magnitude, and its sign multiplies the product; integer division by 0 gives the real zero, float division follows IEEE 754">];
}

def Compass_SquaredDifferenceOp : BinaryFunctionLayer<"squared_difference", "SquaredDifference", "BinaryOp::SquaredDifference", [
    ShiftsKey<"shift_value", "right shifts of the result, x1 and x2">,
    ScalesKey<"scale_value", "multipliers of the result, x1 and x2">], "inferSquaredDifference"> {
  let rule = SquaredDifferenceRule;
  let intKernels = ["yk_eltwise_int", "yk_activation_int"];
  let summary = "square of the difference with broadcasting";
  let formula = "y = (x1 - x2)^2; in integers y = RQ(clip32((RQ(x1 + zp1, scale[1], shift[1]) - RQ(x2 + zp2, scale[2], shift[2]))^2), scale[0], shift[0])";
  let source = "Compass IR 7.3, 4.3.1 SquaredDifference";
  let resolved = [
    Resolved<"broadcasting is not mentioned", "as in the other layers on two tensors">,
    Resolved<"the definition has four scales [out, x1, x2, difference] and two shifts [out, difference], but the reference writes three of each [out, x1, x2]",
      "both forms are computed; in the definition's form d = clip16(RQ((x1 + zp1) * scale[1] - (x2 + zp2) * scale[2], scale[3], shift[1])), y = RQ(d * d, scale[0], shift[0])">];
}

def Compass_BiasAddOp : Compass_Op<"bias_add", "BiasAdd", BiasAddRule, !listconcat([
    TensorKey<"biases", "bias, one per channel (the last axis)", need="Required">], Requant), "inferBiasAdd"> {
  let floatKernels = ["yk_eltwise_float"];
  let intKernels = ["yk_eltwise_int"];
  let summary = "sum with one value per channel";
  let formula = "y = x + biases[c]; in integers y = RQ(x + biases[c], scale, shift), where the bias contains the zero point of x";
  let source = "Compass IR 7.3, 4.3.1 BiasAdd";
  let tensorsIn = [Tensor<"x", "...", "channels last">];
  let tensorsOut = [Tensor<"y", "...", "of the shape of x">];
  let resolved = [
    Resolved<"the example has the shift -7, whose meaning is not specified", "a negative shift multiplies by 2 to the power of its magnitude">,
    Resolved<"broadcasting of different ranks is said to be supported, yet the bias has one axis", "the bias has one axis, as long as the last of x; other shapes are an error">,
    Resolved<"the example lacks layer_top_scale and layer_top_zp", "such a result is read as plain integers with scale 1 and zero point 0">];
}

#endif // YARROW_DIALECTS_COMPASS_ELTWISE_ELTWISEOPS_TD
