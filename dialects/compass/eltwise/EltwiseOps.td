//===- EltwiseOps.td - Arithmetic on two tensors --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_ELTWISE_ELTWISEOPS_TD
#define YARROW_DIALECTS_COMPASS_ELTWISE_ELTWISEOPS_TD

include "dialects/compass/eltwise/Binary.td"

defvar AlignedScales = "scale_value = [out, x1, x2] and one shift_value: y = RQ((x1 + zp1) * scale[1] OP (x2 + zp2) * scale[2], scale[0], shift)";
defvar ScaleCountReading = Resolved<"the scale is a vector of 'more than two elements'",
  !strconcat("one value for the result and one for each operand: ", AlignedScales, "; a product has the first alone")>;
defvar ZeroPointReading = Resolved<"where zero points enter is not told",
  "those of the operands are added before the scale, that of the result is subtracted after rounding; rounding is half to even">;

// The layers that are one arithmetic operation state no activation in the
// definition; the reference parser writes NONE to float IR.
class Compass_BinaryOp<string mnemonic, string layerType> :
    Compass_Op<mnemonic, layerType, EltwiseRule, !listconcat(
      [WordKey<"with_activation", "activation applied to the result", "NONE", Activations, [], "Optional">],
      !tail(FusedActivation), Requant)> {
  let source = "Compass IR 7.3, 4.3.1 " # layerType;
  let tensorsIn = BinaryIn;
  let tensorsOut = BinaryOut;
}
class SameTypesReading<string name> : Resolved<"the operands and the result shall have one type, which quantization decides in integer IR",
  "types may differ in an integer " # name # "; all tensors are floats, or none is">;
defvar SameActivationReading = Resolved<"how the layer differs from Eltwise of the same operation is not told",
  "not at all: with_activation is read here, too; absent, it is NONE">;

def Compass_EltwiseOp : Compass_Op<"eltwise", "Eltwise", EltwiseRule, !listconcat(
    FusedActivation, [MethodKey<"ADD">], Requant)> {
  let summary = "elementwise arithmetic with broadcasting";
  let formula = !strconcat("y = activation(x1 OP x2); in integers ", AlignedScales);
  let source = "Compass IR 7.3, 4.3.1 ElementwiseAdd, ElementwiseMax, ElementwiseMin, ElementwiseMul, ElementwiseSub";
  let tensorsIn = BinaryIn;
  let tensorsOut = BinaryOut;
  let methods = [
    Method<"ADD", "y = x1 + x2">,
    Method<"SUB", "y = x1 - x2">,
    Method<"MUL", "y = x1 * x2; in integers y = RQ((x1 + zp1) * (x2 + zp2), scale, shift)">,
    Method<"MAX", "y = max(x1, x2)">,
    Method<"MIN", "y = min(x1, x2)">];
  let resolved = [ScaleCountReading, ZeroPointReading, BroadcastReading,
    Resolved<"SUB over a list of more than two inputs has no meaning", "two inputs; more are an error">,
    Resolved<"ADD, MAX, MIN and MUL name a list of inputs", "two inputs, as the reference writes them; write a chain of layers for more">,
    Resolved<"the slope of PRELU has one value per channel here and is any shape that broadcasts elsewhere",
      "any shape that repeats along the innermost axes of the result; one value per channel is such a shape">];
}
def Compass_AddOp : Compass_BinaryOp<"add", "Add"> {
  let summary = "sum with broadcasting";
  let formula = !strconcat("y = x1 + x2; in integers ", AlignedScales);
  let resolved = [ScaleCountReading, SameActivationReading, SameTypesReading<"Add">, ZeroPointReading, BroadcastReading,
    Resolved<"the example gives layer_top_scale twice with different values", "a key with two values is an error">];
}
def Compass_SubOp : Compass_BinaryOp<"sub", "Sub"> {
  let summary = "difference with broadcasting";
  let formula = !strconcat("y = x1 - x2; in integers ", AlignedScales);
  let resolved = [ScaleCountReading, SameActivationReading, SameTypesReading<"Sub">, ZeroPointReading, BroadcastReading,
    Resolved<"the example gives layer_top_scale twice with different values", "a key with two values is an error">];
}
def Compass_MulOp : Compass_BinaryOp<"mul", "Mul"> {
  let summary = "product with broadcasting";
  let formula = "y = x1 * x2; in integers y = RQ((x1 + zp1) * (x2 + zp2), scale, shift)";
  let resolved = [
    Resolved<"the section says layer_type Add and its example shows Add", "Mul, as the reference writes it">,
    Resolved<"the scale is a vector of 'more than two elements', the example has one", "one multiplier and one shift: a product needs no alignment">,
    SameActivationReading, SameTypesReading<"Mul">, BroadcastReading,
    Resolved<"the example gives layer_top_scale twice with different values", "a key with two values is an error">];
}

#endif // YARROW_DIALECTS_COMPASS_ELTWISE_ELTWISEOPS_TD
