//===- CompassBase.td - How a Compass operator is described ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// One record per Compass layer_type gives the MLIR op, the table by which the
// IR reader and writer know it, the quantizer's rule, and its documentation.
// The op's attributes have the IR's own key names. Tensors are operands and
// results; constants (weights, biases, scale, shift, lut ...) are attributes
// that alias the mapped weights file.
//
//   def Compass_SoftmaxOp : Compass_Op<"softmax", "Softmax", SoftmaxRule, [
//     IntKey<"axis", "axis that is normalised", "-1">,
//     ...]> { let summary = "softmax along an axis"; }
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_COMPASSBASE_TD
#define YARROW_DIALECTS_COMPASS_COMPASSBASE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Compass_Dialect : Dialect {
  let name = "compass";
  let cppNamespace = "::yarrow::compass";
  let summary = "Neural networks as Compass IR states them: float, integer or mixed";
  let extraClassDeclaration = [{
    /// Called by each family's register function.
    template <typename... Ops> void addFamily() { addOperations<Ops...>(); }
  }];
}

// What every operator can do, whatever stage asks.
def Compass_OpInterface : OpInterface<"CompassOp"> {
  let cppNamespace = "::yarrow::compass";
  let description = "A layer of Compass IR.";
  let methods = [
    InterfaceMethod<[{
      Appends the shape of each result as the operands and attributes imply it.
      On inconsistent attributes emits an error on the op and fails.
    }], "::llvm::LogicalResult", "inferShapes",
      (ins "::llvm::SmallVectorImpl<::llvm::SmallVector<int64_t>> &":$shapes)>,
    InterfaceMethod<[{
      Says which kernel computes this op, with parameters, constants and buffer
      order (KernelCall.h). Emits an error on the op if no kernel does.
    }], "::llvm::LogicalResult", "buildKernel",
      (ins "::yarrow::compass::KernelCall &":$call)>
  ];
  let verify = [{ return ::yarrow::compass::verifyLayer($_op); }];
}

//===----------------------------------------------------------------------===//
// Keys of IR text
//===----------------------------------------------------------------------===//

// kind: how the value is spelled and held.
//   Int, Float, Bool, Word    one value (I64Attr, F64Attr, BoolAttr, StrAttr)
//   Number                    integer or decimal, whichever was written
//   Ints                      one integer or a list (DenseI64ArrayAttr); a list
//                             of length one is written without brackets
//   IntList                   always a list
//   Nested                    list of lists of integers
//   Words                     one word or a list of words (ArrayAttr of StrAttr)
//   Tensor                    a constant in the weights file (ElementsAttr)
class IrKey<string n, string k, Attr a, string d, bit io = 0> {
  string name = n;
  string kind = k;
  Attr attr = a;
  string doc = d;
  bit intOnly = io; // only int IR has it
}
class IntKey<string n, string d, string dflt = "0"> :
  IrKey<n, "Int", DefaultValuedOptionalAttr<I64Attr, dflt>, d>;
class OptIntKey<string n, string d, bit io = 0> : IrKey<n, "Int", OptionalAttr<I64Attr>, d, io>;
class FloatKey<string n, string d, string dflt = "0.0"> :
  IrKey<n, "Float", DefaultValuedOptionalAttr<F64Attr, dflt>, d>;
class OptFloatKey<string n, string d> : IrKey<n, "Float", OptionalAttr<F64Attr>, d>;
class BoolKey<string n, string d, string dflt = "false"> :
  IrKey<n, "Bool", DefaultValuedOptionalAttr<BoolAttr, dflt>, d>;
class WordKey<string n, string d, string dflt> :
  IrKey<n, "Word", DefaultValuedOptionalAttr<StrAttr, "\"" # dflt # "\"">, d>;
class OptWordKey<string n, string d, bit io = 0> : IrKey<n, "Word", OptionalAttr<StrAttr>, d, io>;
class NumberKey<string n, string d> : IrKey<n, "Number", OptionalAttr<AnyAttr>, d>;
class IntsKey<string n, string d, bit io = 0> : IrKey<n, "Ints", OptionalAttr<DenseI64ArrayAttr>, d, io>;
class IntListKey<string n, string d, bit io = 0> : IrKey<n, "IntList", OptionalAttr<DenseI64ArrayAttr>, d, io>;
class NestedKey<string n, string d> : IrKey<n, "Nested", OptionalAttr<ArrayAttr>, d>;
class WordsKey<string n, string d, bit io = 0> : IrKey<n, "Words", OptionalAttr<ArrayAttr>, d, io>;
class TensorKey<string n, string d, bit io = 0> : IrKey<n, "Tensor", OptionalAttr<ElementsAttr>, d, io>;

//===----------------------------------------------------------------------===//
// Quantization rules: the algorithm is the quantizer's, the class is a fact of
// the operator.
//===----------------------------------------------------------------------===//

class Rule<string d> { string doc = d; }
def NoRule : Rule<"none (graph structure)">;
def MacRule : Rule<"multiply-accumulate: weights per tensor or channel, bias at the product's scale">;
def MatMulRule : Rule<"product of two activations">;
def EltwiseRule : Rule<"operands aligned to a common scale">;
def LutRule : Rule<"look-up table over the input's range">;
def ActivationRule : Rule<"clip, or look-up table, by method">;
def RequantRule : Rule<"value kept, scale changed">;
def PassRule : Rule<"values moved, scale shared with the input">;
def PoolRule : Rule<"scale shared with the input">;
def BatchNormRule : Rule<"per-channel multiply and add">;
def LayerNormRule : Rule<"integer inverse square root">;
def SoftmaxRule : Rule<"exponential table or powers of two">;
def ConcatRule : Rule<"branches aligned to the output's scale">;
def ReduceRule : Rule<"sum with the divisor folded in the scale">;
def ResizeRule : Rule<"scale shared with the input, fixed-point weights">;
def CastRule : Rule<"conversion">;

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

class Compass_Op<string mnemonic, string layerType, Rule r, list<IrKey> k, list<Trait> traits = []> :
    Op<Compass_Dialect, mnemonic,
       !listconcat([Pure, DeclareOpInterfaceMethods<Compass_OpInterface>], traits)> {
  string irType = layerType;
  Rule rule = r;
  list<IrKey> keys = k;
  let arguments = !con((ins Variadic<AnyTensor>:$inputs),
    !dag(ins, !foreach(key, k, key.attr), !foreach(key, k, key.name)));
  let results = (outs Variadic<AnyTensor>:$outputs);
  let assemblyFormat = "`(` $inputs `)` attr-dict `:` functional-type($inputs, $outputs)";
}

// Keys that several operators share.
defvar Weights = [
  TensorKey<"weights", "weights">,
  TensorKey<"biases", "bias, one per output channel">
];
defvar Window = [
  IntKey<"kernel_x", "window columns", "1">, IntKey<"kernel_y", "window rows", "1">,
  IntKey<"stride_x", "step in columns", "1">, IntKey<"stride_y", "step in rows", "1">,
  IntKey<"pad_left", "columns of padding at the left">, IntKey<"pad_right", "at the right">,
  IntKey<"pad_top", "rows of padding above">, IntKey<"pad_bottom", "below">,
  IntKey<"dilation_x", "column distance of window cells", "1">,
  IntKey<"dilation_y", "row distance of window cells", "1">
];
// Requantization: scale and shift are either values in the text or tensors.
defvar Requant = [
  IntsKey<"scale_value", "multiplier(s) of the requantization", 1>,
  IntsKey<"shift_value", "right shift(s) of the requantization", 1>,
  TensorKey<"scale", "multiplier per output channel", 1>,
  TensorKey<"shift", "right shift per output channel", 1>
];
defvar FusedActivation = [
  WordKey<"with_activation", "NONE, RELU, RELU6, CLIP, LEAKYRELU or PRELU", "NONE">,
  NumberKey<"clip_min", "CLIP: lower bound">, NumberKey<"clip_max", "CLIP: upper bound">,
  NumberKey<"negative_slope_value", "LEAKYRELU: slope of negative values">,
  OptIntKey<"negative_slope_shift", "right shift of slope products", 1>,
  TensorKey<"negative_slope", "PRELU: slope of negative values">
];

#endif // YARROW_DIALECTS_COMPASS_COMPASSBASE_TD
