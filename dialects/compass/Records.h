//===- Records.h - The table of operators and their IR names --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The operator records of the families' .td files as constant tables. The IR
// reader and writer, the verifier, the quantizer, `yarrow ops` and the
// documentation read them; CompassBase.td says what each field means. After
// them come the operators of plugins (custom/PluginOperator.h), whose layers
// are all compass.custom.
//
//   const OperatorRecord *r = findLayerType("Convolution");
//   r->opName == "compass.convolution"; r->family == "conv";
//   r->findKey("stride_x")->defaultText == "1";
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_RECORDS_H
#define YARROW_DIALECTS_COMPASS_RECORDS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace yarrow::compass {

struct PluginOperator; // custom/PluginOperator.h

enum class RuleClass {
#define RULE(NAME, FUNCTION) NAME,
#include "dialects/compass/RuleClasses.inc"
};

enum class KeyKind {
  Int,
  Float,
  Bool,
  Word,
  Number,
  Ints,
  IntList,
  FloatList,
  NumberList,
  Nested,
  NestedFloats,
  Words,
  WordList,
  Symbol,
  Tensor
};
enum class Need { Required, Expected, Optional };
enum class IrKind { Both, Int, Float };
enum class TensorClass { Any, Integer, Float };
/// What the values of scale_value belong to.
enum class Multipliers { Result, ResultFirst, Operands };
/// What tells the types of results.
enum class ResultTypes {
  FromInput,
  Chosen,
  Given,
  FromWeights,
  ToDtype,
  Declared
};

/// The IR in which an operator is computed.
enum class ComputedIn { None, Float, Int, Both };
constexpr bool isComputed(ComputedIn in, bool integer) {
  return in == ComputedIn::Both ||
         in == (integer ? ComputedIn::Int : ComputedIn::Float);
}

struct TextPair {
  llvm::StringRef first, second;
};

struct RuleRecord {
  llvm::StringRef name, doc;
};

struct InfoKeyRecord {
  llvm::StringRef name, doc;
};

struct KeyRecord {
  llvm::StringRef name;
  KeyKind kind;
  Need need;
  IrKind ir;
  llvm::StringRef selector; ///< A key, by whose word this one applies.
  llvm::ArrayRef<llvm::StringRef> of, words;
  int64_t least, most;
  llvm::StringRef defaultText; ///< As IR text spells it; "" for none.
  llvm::StringRef doc;
  bool choosesMethod;
};

struct TensorRecord {
  llvm::StringRef name, shape, doc;
  TensorClass type;
  bool optional, variadic;
  /// Of a result: the one whose numbers add up to how many of its entries are
  /// in use, or "".
  llvm::StringRef countedBy;
};

struct MethodRecord {
  llvm::StringRef name, formula;
  ComputedIn computedIn;
};

struct OperatorRecord {
  llvm::StringRef opName, layerType;
  llvm::StringRef family; ///< Its folder in dialects/compass.
  RuleClass rule;
  llvm::StringRef summary, formula, description, source;
  llvm::ArrayRef<KeyRecord> keys;
  llvm::ArrayRef<TensorRecord> inputs, outputs;
  llvm::ArrayRef<MethodRecord> methods;
  llvm::ArrayRef<llvm::StringRef> spellings; ///< Also of the layer_type.
  llvm::ArrayRef<TextPair> keyVariants;      ///< printed, meant
  llvm::ArrayRef<TextPair> resolved;         ///< question, reading
  ComputedIn computedIn;
  llvm::ArrayRef<llvm::StringRef> floatKernels, intKernels; ///< Symbols.
  /// Keys that name axes, and those that list a value per axis.
  llvm::ArrayRef<llvm::StringRef> axisKeys, perAxisKeys;
  /// What an integer layer must hold; "a|b": one of them.
  llvm::ArrayRef<llvm::StringRef> integerNeeds;
  Multipliers multipliers;
  ResultTypes resultTypes;
  llvm::StringRef perResultKey;
  /// The name of the extension (network/Extensions.h) whose layers these are,
  /// or "".
  llvm::StringRef extension;
  /// What the plugin says beside, of an operator that came with one.
  const PluginOperator *plugin = nullptr;

  /// Those that its programs call, in integer or float IR.
  llvm::ArrayRef<llvm::StringRef> kernels(bool integer) const {
    return integer ? intKernels : floatKernels;
  }
  const KeyRecord *findKey(llvm::StringRef name) const;
  const KeyRecord *methodKey() const;
  /// By name, without case; null if the operator has no such method.
  const MethodRecord *findMethod(llvm::StringRef name) const;
};

llvm::ArrayRef<OperatorRecord> allOperators();
/// By layer_type or another spelling of it, compared without case; null if
/// unknown.
const OperatorRecord *findLayerType(llvm::StringRef layerType);
/// The record of a compass op; null for other ops, and for a layer of a plugin
/// that was not loaded.
const OperatorRecord *recordOf(mlir::Operation *op);
/// The result of the same layer whose numbers add up to how many entries of
/// \p value are in use; null if all are.
mlir::Value countOf(mlir::Value value);

const RuleRecord &ruleRecord(RuleClass rule);
/// Keys that any layer may have and that decide nothing.
llvm::ArrayRef<InfoKeyRecord> infoKeys();

/// Whether \p op is computed in integer or float IR: its method, if it has
/// methods.
bool isComputed(mlir::Operation *op, bool integer);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_RECORDS_H
