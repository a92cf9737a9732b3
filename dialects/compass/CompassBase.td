//===- CompassBase.td - How a Compass operator is described ---------------===//
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
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

include "dialects/compass/Rules.td"

def Compass_Dialect : Dialect {
  let name = "compass";
  let cppNamespace = "::yarrow::compass";
  let summary = "Neural networks as in Compass IR: float, integer or mixed";
  let extraClassDeclaration = [{
    /// Called by each family's register function.
    template <typename... Ops> void addFamily() { addOperations<Ops...>(); }
  }];
}

// Facts of an operator, for `facts` of its record; Traits.h says what they mean.
class LayerTrait<string name> : NativeOpTrait<name> { let cppNamespace = "::yarrow::compass::trait"; }
def SourceLayer : LayerTrait<"Source">;
def ElementwiseLayer : LayerTrait<"Elementwise">;
def InPlaceLayer : LayerTrait<"InPlace">;
def MovesOnlyLayer : LayerTrait<"MovesOnly">;
def AxesByKeyLayer : LayerTrait<"AxesByKey">;
def LinearLayer : LayerTrait<"Linear">;
def WindowedLayer : LayerTrait<"Windowed">;
def ActivatedLayer : LayerTrait<"FusesActivation">;
def DecidingLayer : LayerTrait<"Decides">;

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
      Lists the kernels that compute this op, with their parameters and the
      tensors bound to their buffers (LayerProgram.h; programOf checks it). Emits
      an error on the op if no kernel does, as this default.
    }], "::llvm::LogicalResult", "buildProgram",
      (ins "::yarrow::compass::LayerProgram &":$program), "",
      [{ return ::yarrow::compass::refuseKernel($_op); }]>
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
//   IntList, FloatList        always a list
//   NumberList                a list of integers and decimals as they were
//                             written (ArrayAttr)
//   Nested, NestedFloats      list of lists
//   Words                     one word or a list of words (ArrayAttr of StrAttr)
//   WordList                  always a list
//   Symbol                    the name of a sub-graph (FlatSymbolRefAttr)
//   Tensor                    a constant in the weights file (ElementsAttr)
// need: what it means if the key is missing where it applies.
//   Required                  an error
//   Expected                  the reference tools always write it: a warning
//                             that names the default
//   Optional                  nothing
// A key with a default is always written where it applies, one of Float in
// integer IR too, whatever its need: readers of the reference tools take many
// keys as given.
// of: the words of `selector` with which the key applies; empty: always.
// ir: Both, Int or Float: the layers where a missing key matters. A key of
//   Float or Int is tolerated in the other IR.
// words: what a Word or Words key may say; bounds: [least, most] of an Int,
//   Ints or IntList key.
class IrKey<string n, string k, Attr a, string d, string need_, list<string> of_ = [],
            string ir_ = "Both", list<string> words_ = [], list<int> bounds_ = [],
            string selector_ = "method"> {
  string name = n;
  string kind = k;
  Attr attr = a;
  string doc = d;
  string need = need_;
  list<string> of = of_;
  string selector = selector_;
  string ir = ir_;
  list<string> words = words_;
  list<int> bounds = bounds_;
}

// With a default: written wherever the key applies.
class IntKey<string n, string d, string dflt = "0", list<string> of = [], list<int> bounds = [], string need = "Expected"> :
  IrKey<n, "Int", DefaultValuedOptionalAttr<I64Attr, dflt>, d, need, of, "Both", [], bounds>;
class FloatKey<string n, string d, string dflt = "0.0", list<string> of = [], string ir = "Both", string need = "Expected"> :
  IrKey<n, "Float", DefaultValuedOptionalAttr<F64Attr, dflt>, d, need, of, ir>;
class BoolKey<string n, string d, string dflt = "false", list<string> of = [], string need = "Expected"> :
  IrKey<n, "Bool", DefaultValuedOptionalAttr<BoolAttr, dflt>, d, need, of>;
class WordKey<string n, string d, string dflt, list<string> words = [], list<string> of = [], string need = "Expected"> :
  IrKey<n, "Word", DefaultValuedOptionalAttr<StrAttr, "\"" # dflt # "\"">, d, need, of, "Both", words>;
// Without a default: absent, the operator does without, unless need says more.
class OptIntKey<string n, string d, string ir = "Both", list<string> of = [], string need = "Optional", list<int> bounds = []> :
  IrKey<n, "Int", OptionalAttr<I64Attr>, d, need, of, ir, [], bounds>;
class OptFloatKey<string n, string d, string ir = "Both", list<string> of = [], string need = "Optional"> :
  IrKey<n, "Float", OptionalAttr<F64Attr>, d, need, of, ir>;
class OptWordKey<string n, string d, string ir = "Both", list<string> words = [], string need = "Optional", list<string> of = []> :
  IrKey<n, "Word", OptionalAttr<StrAttr>, d, need, of, ir, words>;
class OptBoolKey<string n, string d, list<string> of = [], string need = "Optional"> :
  IrKey<n, "Bool", OptionalAttr<BoolAttr>, d, need, of>;
class NumberKey<string n, string d, list<string> of = [], string need = "Optional", string ir = "Both", string selector = "method"> :
  IrKey<n, "Number", OptionalAttr<AnyAttr>, d, need, of, ir, [], [], selector>;
class IntsKey<string n, string d, string ir = "Both", string need = "Optional", list<int> bounds = [], list<string> of = []> :
  IrKey<n, "Ints", OptionalAttr<DenseI64ArrayAttr>, d, need, of, ir, [], bounds>;
class IntListKey<string n, string d, string need = "Required", string ir = "Both", list<int> bounds = [], list<string> of = []> :
  IrKey<n, "IntList", OptionalAttr<DenseI64ArrayAttr>, d, need, of, ir, [], bounds>;
class FloatListKey<string n, string d, string need = "Required", string ir = "Both", list<string> of = []> :
  IrKey<n, "FloatList", OptionalAttr<DenseF64ArrayAttr>, d, need, of, ir>;
class NumberListKey<string n, string d, string need = "Required"> :
  IrKey<n, "NumberList", OptionalAttr<ArrayAttr>, d, need>;
class NestedKey<string n, string d, string need = "Required", string ir = "Both"> :
  IrKey<n, "Nested", OptionalAttr<ArrayAttr>, d, need, [], ir>;
class NestedFloatsKey<string n, string d, string need = "Required", string ir = "Both"> :
  IrKey<n, "NestedFloats", OptionalAttr<ArrayAttr>, d, need, [], ir>;
class WordsKey<string n, string d, string need = "Required", list<string> words = [], string ir = "Both"> :
  IrKey<n, "Words", OptionalAttr<ArrayAttr>, d, need, [], ir, words>;
class WordListKey<string n, string d, string need = "Required", list<string> words = [], string ir = "Both"> :
  IrKey<n, "WordList", OptionalAttr<ArrayAttr>, d, need, [], ir, words>;
class TensorKey<string n, string d, string ir = "Both", string need = "Optional", list<string> of = [], string selector = "method"> :
  IrKey<n, "Tensor", OptionalAttr<ElementsAttr>, d, need, of, ir, [], [], selector>;
class SymbolKey<string n, string d, string need = "Required"> :
  IrKey<n, "Symbol", OptionalAttr<FlatSymbolRefAttr>, d, need>;
// The key that chooses among the operator's `methods`: their names are its words.
class MethodKey<string dflt, string d = "what is computed", string n = "method", string need = "Expected"> :
  IrKey<n, "Word", DefaultValuedOptionalAttr<StrAttr, "\"" # dflt # "\"">, d, need>;

// A key that any layer may have and that decides nothing: it is kept and
// written again. X_type beside a key X_value is known without a record.
class InfoKey<string n, string d> { string name = n; string doc = d; }
def IsPerfMode : InfoKey<"is_perf_mode", "the Optimizer chose speed over accuracy">;
def Unquantifiable : InfoKey<"unquantifiable", "the Optimizer left the layer as it was">;
def QuantizationAxis : InfoKey<"activation_quantization_axis", "axis of per-channel activations, or None">;
def WithRangeWeights : InfoKey<"weights_range", "range of the float weights">;
def WithRangeBiases : InfoKey<"biases_range", "range of the float biases">;
def WeightsScale : InfoKey<"weights_scale", "scale of the quantized weights">;
def WeightsZp : InfoKey<"weights_zp", "zero point of the quantized weights">;
def BiasesScale : InfoKey<"biases_scale", "scale of the quantized biases">;
def BiasesZp : InfoKey<"biases_zp", "zero point of the quantized biases">;
def TopDatalayout : InfoKey<"layer_top_datalayout", "memory layout; Yarrow's is always NHWC">;
def TopLayout : InfoKey<"layer_top_layout", "layer_top_datalayout as some examples spell it">;
def ChannelFactors : InfoKey<"channel_factors", "factor by which quantization enlarged each channel; a key of Yarrow's own">;
def FloatReason : InfoKey<"float_reason", "reason why quantization left the layer in floats; a key of Yarrow's own">;
def DsOutputShape : InfoKey<"ds_output_shape", "symbolic shape of the result">;
def OperatorVersion : InfoKey<"opset_version", "version of the operator in the source framework">;

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

// An operand or result. shape is for the reader and for the verifier: axes
// separated by commas. An axis that is a capital letter and letters or digits
// after it (N, H, C, Boxes) has one length wherever the operator names it; an
// integer is that length; anything else is free, as is the rank if "..." occurs.
// type: Any, Integer (8 to 64 bits, no scale needed), Float.
class Tensor<string n, string s, string d, string t = "Any"> {
  string name = n;
  string shape = s;
  string doc = d;
  string type = t;
  bit optional = 0; // only at the end of a list
  bit variadic = 0; // one or more; only at the end of a list
  // Of a result that is a capacity: the result whose numbers add up to how many
  // entries of a batch's row are in use.
  string countedBy = "";
}
class Counted<string n, string s, string d, string by, string t = "Any"> : Tensor<n, s, d, t> { let countedBy = by; }
class OptTensor<string n, string s, string d, string t = "Any"> : Tensor<n, s, d, t> { let optional = 1; }
class ManyTensors<string n, string s, string d, string t = "Any"> : Tensor<n, s, d, t> { let variadic = 1; }
// Whose last one counts the others.
class CountedTensors<string n, string s, string d> : ManyTensors<n, s, d> { let countedBy = n; }
// None or more; only at the end of a list.
class AnyTensors<string n, string s, string d, string t = "Any"> : ManyTensors<n, s, d, t> { let optional = 1; }

// The accessor of a tensor by its name: getX1() of Tensor<"x1">. side: Operand or
// Result. ODS operands of these names would do harm: MLIR counts them itself,
// before our verifier, and a layer with a wrong number of them would get an
// error without a code and a place; and several optional ones would put segment
// sizes into the text.
class TensorGetter<Tensor t, int i, string side> {
  string name = "get" # !toupper(!substr(t.name, 0, 1)) # !substr(t.name, 1);
  string all = "getOperation()->get" # side # "s()";
  string one = "getOperation()->get" # side # "(" # i # ")";
  string there = "getOperation()->getNum" # side # "s() > " # i;
  // The whole list has these names already.
  bit isKnown = !or(!eq(t.name, "inputs"), !eq(t.name, "outputs"));
  string text = !if(isKnown, "", "/// " # !if(t.optional, "Null if absent: ", "") # t.doc # ".\n" # !cond(
    t.variadic : "::mlir::ValueRange " # name # "() { return ::mlir::ValueRange(" # all # ").drop_front(" # i # "); }\n",
    t.optional : "::mlir::Value " # name # "() { return " # there # " ? ::mlir::Value(" # one # ") : ::mlir::Value(); }\n",
    true : "::mlir::Value " # name # "() { return " # one # "; }\n"));
}

// One choice of an operator's MethodKey. formula in plain text; computedIn if not
// that of the operator ("").
class Method<string n, string f, string computedIn_ = ""> {
  string name = n;
  string formula = f;
  string computedIn = computedIn_;
}

// Where the definition leaves something open or contradicts itself.
class Resolved<string q, string r> { string question = q; string reading = r; }
// A spelling of a key that is read as another: ["printed", "meant"].
class KeyVariant<string printed_, string meant_> { string printed = printed_; string meant = meant_; }

// infer: the function that infers the shapes of the results, of any op, so that
// its file needs none of the generated classes; empty: the op's own method.
//
//   def Compass_TopKOp : Compass_KnownOp<"top_k", "TopK", PassRule, [
//     IntKey<"k", "number of elements kept">], "inferTopK">
//
//   llvm::LogicalResult inferTopK(mlir::Operation *op, ResultShapes &shapes);
class Compass_Record<string mnemonic, string layerType, Rule r, list<IrKey> k, string infer, list<Trait> more> :
    Op<Compass_Dialect, mnemonic> {
  string irType = layerType;
  Rule rule = r;
  list<IrKey> keys = k;
  // Other spellings of the layer_type.
  list<string> spellings = [];
  list<KeyVariant> keyVariants = [];
  list<Tensor> tensorsIn = [];
  list<Tensor> tensorsOut = [];
  list<Method> methods = [];
  // What passes ask of the operator: traits of Traits.h.
  list<Trait> facts = [];
  let traits = !listconcat([Pure], more, [
    DeclareOpInterfaceMethods<InferShapedTypeOpInterface, ["inferReturnTypeComponents"]>], facts);
  // Keys whose integers name axes of the operands and of the result, and keys
  // that are a list of one entry per axis.
  list<string> axisKeys = [];
  list<string> perAxisKeys = [];
  // What an integer layer must hold: each is a key or several of which one must
  // be there, as in "lut|lut_log".
  list<string> integerNeeds = rule.needs;
  // What the values of scale_value are: Result, multipliers of the result;
  // ResultFirst, that of the result and then those which align the operands;
  // Operands, the latter alone.
  string multipliers = "Result";
  // What the element types of results are: FromInput, that of the first operand,
  // quantization included; Chosen, the same of floats and in integer IR the
  // quantizer's choice; Given, a choice always; FromWeights, ToDtype, that of the
  // key. Declared: shapes are the network's to say, too (they depend on data), or
  // several results differ.
  string resultTypes = "Chosen";
  // The key that tells how many results there are: its list has one entry for
  // each, or it is their number.
  string perResultKey = "";
  // C++ of further methods, $cppClass being the op class.
  string definitions = "";
  // What is computed, in plain text; `description` may say more.
  string formula = "";
  // Section of the Compass IR definition 7.3, or what else is the source.
  string source = "";
  // The extension of int IR (network/Extensions.h) whose layers these are; empty
  // where Compass IR has them.
  string extension = "";
  list<Resolved> resolved = [];
  // The IR in which it is computed: Both, Int, Float or None.
  string computedIn = "Both";
  // The kernels that its programs call, in every form of the layer; programOf
  // checks it. Which engine computes a kernel, the lowering knows.
  list<string> kernels = [];
  // The same of one IR alone.
  list<string> floatKernels = kernels;
  list<string> intKernels = kernels;
  let arguments = !con((ins Variadic<AnyTensor>:$inputs),
    !dag(ins, !foreach(key, k, key.attr), !foreach(key, k, key.name)));
  let results = (outs Variadic<AnyTensor>:$outputs);
  let assemblyFormat = "`(` $inputs `)` attr-dict `:` functional-type($inputs, $outputs)";
  // One builder instead of a dozen: ops are made by the reader, or by passes
  // that copy attributes.
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<
    (ins "::mlir::TypeRange":$types, "::mlir::ValueRange":$operands,
         CArg<"::llvm::ArrayRef<::mlir::NamedAttribute>", "{}">:$attributes),
    [{
      $_state.addTypes(types);
      $_state.addOperands(operands);
      $_state.addAttributes(attributes);
    }]>,
    // Result types are inferred (InferTypes.h).
    OpBuilder<(ins "::mlir::ValueRange":$operands,
                   CArg<"::llvm::ArrayRef<::mlir::NamedAttribute>", "{}">:$attributes,
                   CArg<"::mlir::Type", "{}">:$element),
      [{ ::yarrow::compass::buildInferred($_state, operands, attributes, element); }]>];
  let extraClassDeclaration = !foldl("", !range(tensorsIn), text, i, text # TensorGetter<tensorsIn[i], i, "Operand">.text) #
    !foldl("", !range(tensorsOut), text, i, text # TensorGetter<tensorsOut[i], i, "Result">.text);
  let extraClassDefinition = !if(!empty(infer), "",
    "::llvm::LogicalResult $cppClass::inferShapes(::llvm::SmallVectorImpl<::llvm::SmallVector<int64_t>> &shapes) {\n"
    "  return " # infer # "(getOperation(), shapes);\n}\n") # [{
    ::llvm::LogicalResult $cppClass::inferReturnTypeComponents(
        ::mlir::MLIRContext *context, ::std::optional<::mlir::Location> location, ::mlir::ValueShapeRange operands,
        ::mlir::DictionaryAttr attributes, ::mlir::OpaqueProperties properties, ::mlir::RegionRange,
        ::llvm::SmallVectorImpl<::mlir::ShapedTypeComponents> &components) {
      return ::yarrow::compass::inferComponents(::mlir::OperationName(getOperationName(), context), location, operands,
                                                attributes, properties, components);
    }
  }] # definitions;
}

// An operator that is computed.
class Compass_Op<string mnemonic, string layerType, Rule r, list<IrKey> k, string infer = "", list<Trait> more = []> :
    Compass_Record<mnemonic, layerType, r, k, infer,
      !listconcat([DeclareOpInterfaceMethods<Compass_OpInterface, ["buildProgram"]>], more)>;

// An operator that is read, checked and written, and refused with a diagnostic
// where it would have to be computed.
class Compass_KnownOp<string mnemonic, string layerType, Rule r, list<IrKey> k, string infer = "", list<Trait> more = []> :
    Compass_Record<mnemonic, layerType, r, k, infer,
      !listconcat([DeclareOpInterfaceMethods<Compass_OpInterface>], more)> {
  let computedIn = "None";
}

// With `let hasFolder = 1`: a layer that may be a copy of its operand.
defvar FoldsCopy = [{
  ::llvm::LogicalResult $cppClass::fold(FoldAdaptor, ::llvm::SmallVectorImpl<::mlir::OpFoldResult> &results) {
    return foldCopy(getOperation(), results);
  }
}];

// Keys that several operators share.
defvar Weights = [
  TensorKey<"weights", "weights", need="Required">,
  TensorKey<"biases", "bias, one value per output channel; absent in IR text: zeros", need="Required">
];
defvar AtLeastOne = [1, 65535];
defvar NotNegative = [0, 65535];
defvar Stride2D = [
  IntKey<"stride_x", "step in columns", "1", [], AtLeastOne>,
  IntKey<"stride_y", "step in rows", "1", [], AtLeastOne>];
defvar Kernel2D = !listconcat([
  IntKey<"kernel_x", "window columns", "1", [], AtLeastOne>,
  IntKey<"kernel_y", "window rows", "1", [], AtLeastOne>], Stride2D);
defvar Pad2D = [
  IntKey<"pad_left", "columns of padding at the left", "0", [], NotNegative>,
  IntKey<"pad_right", "columns of padding at the right", "0", [], NotNegative>,
  IntKey<"pad_top", "rows of padding above", "0", [], NotNegative>,
  IntKey<"pad_bottom", "rows of padding below", "0", [], NotNegative>];
defvar Dilation2D = [
  IntKey<"dilation_x", "distance of window cells in columns", "1", [], AtLeastOne>,
  IntKey<"dilation_y", "distance of window cells in rows", "1", [], AtLeastOne>];
defvar Window = !listconcat(Kernel2D, Pad2D, Dilation2D);
// Of volumes, NDHWC: x is the width, y the height, z the depth.
defvar Stride3D = !listconcat(Stride2D, [IntKey<"stride_z", "step in planes", "1", [], AtLeastOne>]);
defvar Kernel3D = [
  IntKey<"kernel_x", "window columns", "1", [], AtLeastOne>,
  IntKey<"kernel_y", "window rows", "1", [], AtLeastOne>,
  IntKey<"kernel_z", "window planes", "1", [], AtLeastOne>];
defvar Pad3D = [
  IntKey<"pad_x_begin", "columns of padding at the left", "0", [], NotNegative>,
  IntKey<"pad_x_end", "columns of padding at the right", "0", [], NotNegative>,
  IntKey<"pad_y_begin", "rows of padding above", "0", [], NotNegative>,
  IntKey<"pad_y_end", "rows of padding below", "0", [], NotNegative>,
  IntKey<"pad_z_begin", "planes of padding before the first", "0", [], NotNegative>,
  IntKey<"pad_z_end", "planes of padding after the last", "0", [], NotNegative>];
defvar Dilation3D = !listconcat(Dilation2D, [IntKey<"dilation_z", "distance of window cells in planes", "1", [], AtLeastOne>]);
defvar Window3D = !listconcat(Kernel3D, Stride3D, Pad3D, Dilation3D);
// Requantization: scale and shift are either values in the text or tensors.
defvar Requant = [
  IntsKey<"scale_value", "multiplier(s) of the requantization", "Int">,
  IntsKey<"shift_value", "right shift(s) of the requantization", "Int">,
  TensorKey<"scale", "multiplier per output channel", "Int">,
  TensorKey<"shift", "right shift per output channel", "Int">
];
// Multipliers of 31 bits and the roundings of TFLite, extensions of ours: in
// layers with the key requant_rounding, by which IR text, verifier and lowering
// know them. Whether sums times such a multiplier fit 64 bits is checked with the
// layer's program (checkSums).
defvar RoundingWords = ["HALF_EVEN", "HALF_UP", "DOUBLE"];
class RequantRoundingKey<list<string> of = []> : OptWordKey<"requant_rounding",
  "how acc * scale / 2^shift is rounded, a key of Yarrow's own: HALF_UP, once, with ties upwards, as TFLite's 16-bit layers; "
  "DOUBLE, twice, as TFLite's 8-bit reference: first the high half of 2 * acc * scale, then the rest of the shift, ties away from 0; "
  "absent: HALF_EVEN", "Int", RoundingWords, "Optional", of>;
defvar WideRequant = !listconcat(Requant, [RequantRoundingKey<>]);
// What the integer arithmetic can hold: multipliers have 16 bits, products 64.
defvar MultiplierBounds = [0, 65535];
defvar ShiftBounds = [-32, 62];
class ScalesKey<string n, string d, string need = "Required"> : IntsKey<n, d, "Int", need, MultiplierBounds>;
class ShiftsKey<string n, string d, string need = "Required"> : IntsKey<n, d, "Int", need, ShiftBounds>;
class TableKey<string n, string d, string need = "Required"> : TensorKey<n, d, "Int", need>;
defvar Activations = ["NONE", "RELU", "RELU6", "CLIP", "LEAKYRELU", "PRELU"];
defvar FusedActivation = [
  WordKey<"with_activation", "activation applied to the result", "NONE", Activations>,
  NumberKey<"clip_min", "CLIP: lower bound", ["CLIP"], "Required", "Both", "with_activation">,
  NumberKey<"clip_max", "CLIP: upper bound", ["CLIP"], "Required", "Both", "with_activation">,
  NumberKey<"negative_slope_value", "LEAKYRELU: slope of negative values", ["LEAKYRELU"], "Required", "Both", "with_activation">,
  OptIntKey<"negative_slope_scale", "multiplier of slope products, not written by the reference tools; absent: 1", "Int">,
  OptIntKey<"negative_slope_shift", "right shift of slope products", "Int">,
  TensorKey<"negative_slope", "PRELU: slope of negative values", "Both", "Required", ["PRELU"], "with_activation">
];

#endif // YARROW_DIALECTS_COMPASS_COMPASSBASE_TD
