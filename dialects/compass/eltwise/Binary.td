//===- Binary.td - What layers on two tensors share -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A file without operators: a family that included another one's operators would
// generate their classes again.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_ELTWISE_BINARY_TD
#define YARROW_DIALECTS_COMPASS_ELTWISE_BINARY_TD

include "dialects/compass/CompassBase.td"
include "dialects/compass/eltwise/BinaryInterface.td"

defvar BinaryIn = [Tensor<"x1", "...", "first operand">, Tensor<"x2", "...", "second operand, broadcast with the first">];
defvar BinaryOut = [Tensor<"y", "...", "of the broadcast shape">];
defvar BroadcastReading = Resolved<"the rule of broadcasting is not specified",
  "shapes are aligned at the innermost axis; an axis repeats if its length is 1 or, as in the reference, divides the other length">;

// A layer that is one function of two values. Shapes and kernel follow from
// `function`: an expression of BinaryOp, which kernels/arithmetic/BinaryFn.def lists, in
// the getters of the op's keys.
class BinaryFunctionLayer<string mnemonic, string layerType, string function, list<IrKey> k, string infer = "inferBinary", Rule r = EltwiseRule> :
    Compass_Op<mnemonic, layerType, r, k, infer, [DeclareOpInterfaceMethods<Compass_BinaryFunctionInterface>]> {
  let facts = [ElementwiseLayer];
  let multipliers = "ResultFirst";
  let tensorsIn = BinaryIn;
  let tensorsOut = BinaryOut;
  let floatKernels = ["yk_eltwise_float"];
  let intKernels = ["yk_eltwise_int"];
  let definitions =
    "::yarrow::kernels::BinaryOp $cppClass::binaryFunction() {\n"
    "  using ::yarrow::kernels::BinaryOp;\n  return " # function # ";\n}\n"
    "::llvm::LogicalResult $cppClass::buildProgram(::yarrow::compass::LayerProgram &program) {\n"
    "  return buildBinary(getOperation(), program);\n}\n";
}

#endif // YARROW_DIALECTS_COMPASS_ELTWISE_BINARY_TD
