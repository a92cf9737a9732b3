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
  let summary = "operation on the bits of integers, with broadcasting";
  let formula = "y = x1 OP x2 bit by bit; values have scale 1 and keep it";
  let source = "Compass IR 7.3, 4.3.1 BitwiseAnd, BitwiseNot, BitwiseOr, BitwiseXor";
  let methods = [Method<"AND", "y = x1 & x2">, Method<"OR", "y = x1 | x2">, Method<"XOR", "y = x1 ^ x2">,
                 Method<"NOT", "y = ~x1 in the width of its type">];
  let tensorsIn = [Tensor<"x1", "...", "first operand", "Integer">, OptTensor<"x2", "...", "second operand, of the first's type; NOT has none", "Integer">];
  let tensorsOut = [Tensor<"y", "...", "of the operands' type", "Integer">];
  let resolved = [
    Resolved<"the text speaks of truth values", "bits: 6 AND 3 is 2">,
    Resolved<"the integer types are not told", "any of 8 to 64 bits; operands and result have one type">,
    Resolved<"NOT is described as an 'and' of two broadcast operands", "one operand, all bits inverted in the width of its type">];
}

def Compass_BitShiftOp : BinaryFunctionLayer<"bit_shift", "BitShift", "binaryNamed((\"Shift\" + getDirection()).str())", [
    MethodKey<"LEFT", "where bits move", "direction">], "inferBitShift", BitShiftRule> {
  let resultTypes = "FromInput";
  let floatKernels = [];
  let summary = "shift of integers by integers, with broadcasting";
  let formula = "y = x << n or x >> n; values have scale 1 and keep it";
  let source = "Compass IR 7.3, 4.3.1 LeftShift, RightShift";
  let spellings = ["Bitshift"];
  let methods = [Method<"LEFT", "y = x << n; bits beyond the type are lost, n as large as the width gives 0">,
                 Method<"RIGHT", "y = x >> n; signed x keep their sign, unsigned x are filled with 0">];
  let tensorsIn = [Tensor<"x", "...", "values", "Integer">, Tensor<"n", "...", "bits to shift by, broadcast with x", "Integer">];
  let tensorsOut = [Tensor<"y", "...", "of the type of x", "Integer">];
  let resolved = [
    Resolved<"the layer_type is Bitshift in the text and BitShift in the example", "BitShift, as the reference writes it; Bitshift is read">,
    Resolved<"the second input is missing in the list of inputs", "two inputs: values and amounts">,
    Resolved<"overflow, and amounts of the width or more, are not told", "bits beyond the type are lost and such amounts give 0 at LEFT, the sign at RIGHT; so do negative ones (our choice: nothing shows the reference's)">,
    Resolved<"whether RIGHT keeps the sign is not told", "it does for signed types: -975 >> 7 is -8">];
}

// NOT compares with 0 (buildBinary).
def Compass_LogicalOp : BinaryFunctionLayer<"logical", "Logical",
    "getMethod().equals_insensitive(\"NOT\") ? BinaryOp::Equal : binaryNamed(getMethod())", [
    MethodKey<"EQUAL">,
    IntsKey<"scale_value", "multipliers of x1 and x2 before they are compared", "Int", "Optional", MultiplierBounds>,
    IntsKey<"shift_value", "right shifts of the products; of the definition, the reference writes none", "Int", "Optional", ShiftBounds>], "inferLogical", LogicalRule> {
  let resultTypes = "Given";
  let multipliers = "Operands";
  let summary = "comparison or logical operation with broadcasting";
  let formula = "y = 1 where x1 OP x2 holds, else 0; integers compare as (x1 + zp1) * scale[0] OP (x2 + zp2) * scale[1], exactly";
  let source = "Compass IR 7.3, 4.3.1 Logical";
  let methods = [
    Method<"EQUAL", "x1 = x2">, Method<"NOT_EQUAL", "x1 != x2">, Method<"GREATER", "x1 > x2">, Method<"GREATER_EQUAL", "x1 >= x2">,
    Method<"LESS", "x1 < x2">, Method<"LESS_EQUAL", "x1 <= x2">, Method<"AND", "x1 != 0 and x2 != 0">, Method<"OR", "x1 != 0 or x2 != 0">,
    Method<"XOR", "exactly one of x1 != 0 and x2 != 0">, Method<"NOT", "x1 = 0">];
  let tensorsIn = [Tensor<"x1", "...", "first operand">, OptTensor<"x2", "...", "second operand, broadcast with the first; NOT has none">];
  let tensorsOut = [Tensor<"y", "...", "0 or 1">];
  let resolved = [
    Resolved<"the descriptions of the methods are scrambled", "the names decide; AND, OR, XOR and NOT take every number but 0 as true, of integers the stored one, whatever the zero point, as the reference does">,
    Resolved<"rescaling before a comparison can change equality", "products with scale_value are exact and not shifted; absent, x1 + zp1 and x2 + zp2 are compared. EQUAL of differently scaled tensors is rarely true">];
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
  let tensorsIn = [Tensor<"condition", "...", "0 or not 0">, Tensor<"x1", "...", "value where the condition holds">,
                   Tensor<"x2", "...", "value elsewhere">];
  let tensorsOut = [Tensor<"y", "...", "of the shape to which all three broadcast">];
  let resolved = [Resolved<"the example has types of scale and shift and no values", "both keys are needed; 1 and 0 mean an input that has the result's scale">];
}

def Compass_IsInfOp : Compass_Op<"is_inf", "IsInf", TruthRule, [
    BoolKey<"detect_negative", "minus infinity counts", "true">,
    BoolKey<"detect_positive", "plus infinity counts", "true">], "inferTruthOfEach"> {
  let resultTypes = "Given";
  let facts = [ElementwiseLayer];
  let multipliers = "Operands";
  let floatKernels = ["yk_eltwise_float", "yk_unary_float"];
  let intKernels = ["yk_eltwise_int"];
  let summary = "which values are infinite";
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
  let summary = "which values are not a number";
  let formula = "y = 1 where x is not a number, else 0; integers always are";
  let source = "reference parser";
  let tensorsIn = [Tensor<"x", "...", "values">];
  let tensorsOut = [Tensor<"y", "...", "0 or 1", "Integer">];
}

#endif // YARROW_DIALECTS_COMPASS_LOGIC_LOGICOPS_TD
