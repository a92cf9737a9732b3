//===- LogicOps.td - Bits, truth values and choices -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_LOGIC_LOGICOPS_TD
#define YARROW_DIALECTS_COMPASS_LOGIC_LOGICOPS_TD

include "dialects/compass/eltwise/Binary.td"

// NOT inverts all bits: an exclusive or with ones (buildBinary).
def Compass_BitwiseOp : BinaryFunctionLayer<"bitwise", "Bitwise",
    "getMethod().equals_insensitive(\"NOT\") ? BinaryOp::BitXor : binaryNamed((\"Bit\" + getMethod()).str())",
    [MethodKey<"AND">], "inferBitwise", StoredRule> {
  let resultTypes = "FromInput";
  let floatKernels = [];
  let summary = "bitwise operation on integers, with broadcasting";
  let formula = "y = x1 OP x2, bit by bit; values have scale 1 and keep it";
  let source = "Compass IR 7.3, 4.3.1 BitwiseAnd, BitwiseNot, BitwiseOr, BitwiseXor";
  let methods = [Method<"AND", "y = x1 & x2">, Method<"OR", "y = x1 | x2">, Method<"XOR", "y = x1 ^ x2">,
                 Method<"NOT", "y = ~x1 in the width of its type">];
  let tensorsIn = [Tensor<"x1", "...", "first operand", "Integer">, OptTensor<"x2", "...", "second operand, of the same type; absent for NOT", "Integer">];
  let tensorsOut = [Tensor<"y", "...", "of the operands' type", "Integer">];
  let resolved = [
    Resolved<"the text speaks of truth values", "the operation works on bits: 6 AND 3 is 2">,
    Resolved<"the integer types are not specified", "any with 8 to 64 bits; operands and result have one type">,
    Resolved<"NOT is described as an 'and' of two broadcast operands", "one operand, all bits inverted in the width of its type">];
}

def Compass_BitShiftOp : BinaryFunctionLayer<"bit_shift", "BitShift", "binaryNamed((\"Shift\" + getDirection()).str())", [
    MethodKey<"LEFT", "direction in which bits move", "direction">], "inferBitShift", BitShiftRule> {
  let resultTypes = "FromInput";
  let floatKernels = [];
  let summary = "shift of integers by integers, with broadcasting";
  let formula = "y = x << n or x >> n; values have scale 1 and keep it";
  let source = "Compass IR 7.3, 4.3.1 LeftShift, RightShift";
  let spellings = ["Bitshift"];
  let methods = [Method<"LEFT", "y = x << n; bits beyond the type are lost; y = 0 if n is the width or more">,
                 Method<"RIGHT", "y = x >> n; a signed x keeps its sign, an unsigned x is filled with 0">];
  let tensorsIn = [Tensor<"x", "...", "values", "Integer">, Tensor<"n", "...", "bits to shift by, broadcast with x", "Integer">];
  let tensorsOut = [Tensor<"y", "...", "of the type of x", "Integer">];
  let resolved = [
    Resolved<"the layer_type is Bitshift in the text, but BitShift in the example", "BitShift is written, as in the reference; both are read">,
    Resolved<"the second input is missing from the list of inputs", "two inputs: values and amounts">,
    Resolved<"overflow, and shifts by the width or more, are not specified", "bits beyond the type are lost; such shifts, and negative ones, give 0 with LEFT and the sign with RIGHT (Yarrow's choice: the reference's is unknown)">,
    Resolved<"whether RIGHT keeps the sign is not specified", "it does for signed types: -975 >> 7 is -8">];
}

// NOT compares with 0 (buildBinary).
def Compass_LogicalOp : BinaryFunctionLayer<"logical", "Logical",
    "getMethod().equals_insensitive(\"NOT\") ? BinaryOp::Equal : binaryNamed(getMethod())", [
    MethodKey<"EQUAL">,
    IntsKey<"scale_value", "multipliers of x1 and x2 before they are compared", "Int", "Optional", MultiplierBounds>,
    IntsKey<"shift_value", "right shifts of the products; in the definition, but not written by the reference", "Int", "Optional", ShiftBounds>], "inferLogical", LogicalRule> {
  let resultTypes = "Given";
  let multipliers = "Operands";
  let summary = "comparison or logical operation with broadcasting";
  let formula = "y = 1 where x1 OP x2 is true, else 0; integers are compared exactly, as (x1 + zp1) * scale[0] OP (x2 + zp2) * scale[1]";
  let source = "Compass IR 7.3, 4.3.1 Logical";
  let methods = [
    Method<"EQUAL", "x1 = x2">, Method<"NOT_EQUAL", "x1 != x2">, Method<"GREATER", "x1 > x2">, Method<"GREATER_EQUAL", "x1 >= x2">,
    Method<"LESS", "x1 < x2">, Method<"LESS_EQUAL", "x1 <= x2">, Method<"AND", "x1 != 0 and x2 != 0">, Method<"OR", "x1 != 0 or x2 != 0">,
    Method<"XOR", "exactly one of x1 != 0 and x2 != 0">, Method<"NOT", "x1 = 0">];
  let tensorsIn = [Tensor<"x1", "...", "first operand">, OptTensor<"x2", "...", "second operand, broadcast with the first; absent for NOT">];
  let tensorsOut = [Tensor<"y", "...", "0 or 1">];
  let resolved = [
    Resolved<"the descriptions of the methods are mixed up", "the names decide; for AND, OR, XOR and NOT every number but 0 is true; for integers the stored number counts, whatever the zero point, as in the reference">,
    Resolved<"rescaling before a comparison can change equality", "products with scale_value are exact and not shifted; without the key, x1 + zp1 and x2 + zp2 are compared. EQUAL is rarely true for tensors with different scales">];
}

def Compass_WhereOp : Compass_Op<"where", "Where", WhereRule, [
    IntsKey<"shift_value", "right shifts of x1 and x2", "Int", "Required", ShiftBounds>,
    IntsKey<"scale_value", "multipliers that bring x1 and x2 to the scale of the result", "Int", "Required", MultiplierBounds>], "inferWhere"> {
  let floatKernels = ["yk_where"];
  let intKernels = ["yk_where", "yk_where_int", "yk_eltwise_int"];
  let resultTypes = "Given";
  let facts = [ElementwiseLayer];
  let summary = "choice between two tensors by a condition, with broadcasting";
  let formula = "y = x1 where the condition is not 0, else x2; in integers the chosen xi is RQ(xi + zpi, scale[i], shift[i])";
  let source = "Compass IR 7.3, 4.3.1 Where";
  let tensorsIn = [Tensor<"condition", "...", "0: false; other values: true">, Tensor<"x1", "...", "value where the condition holds">,
                   Tensor<"x2", "...", "value where it does not hold">];
  let tensorsOut = [Tensor<"y", "...", "of the shape to which all three broadcast">];
  let resolved = [Resolved<"the example has types of scale and shift, but no values", "both keys are required; 1 and 0 mean an input that has the result's scale">];
}

def Compass_IsInfOp : Compass_Op<"is_inf", "IsInf", TruthRule, [
    BoolKey<"detect_negative", "minus infinity counts", "true">,
    BoolKey<"detect_positive", "plus infinity counts", "true">], "inferTruthOfEach"> {
  let resultTypes = "Given";
  let facts = [ElementwiseLayer];
  let multipliers = "Operands";
  let floatKernels = ["yk_eltwise_float", "yk_unary_float"];
  let intKernels = ["yk_eltwise_int"];
  let summary = "whether each value is infinite";
  let formula = "y = 1 where x is an infinity that counts, else 0; integers are never infinite";
  let source = "reference parser";
  let tensorsIn = [Tensor<"x", "...", "values">];
  let tensorsOut = [Tensor<"y", "...", "0 or 1", "Integer">];
}

def Compass_IsNaNOp : Compass_Op<"is_nan", "IsNaN", TruthRule, [], "inferTruthOfEach"> {
  let resultTypes = "Given";
  let facts = [ElementwiseLayer];
  let multipliers = "Operands";
  let floatKernels = ["yk_eltwise_float"];
  let intKernels = ["yk_eltwise_int"];
  let summary = "whether each value is NaN (not a number)";
  let formula = "y = 1 where x is NaN, else 0; integers are never NaN";
  let source = "reference parser";
  let tensorsIn = [Tensor<"x", "...", "values">];
  let tensorsOut = [Tensor<"y", "...", "0 or 1", "Integer">];
}

#endif // YARROW_DIALECTS_COMPASS_LOGIC_LOGICOPS_TD
