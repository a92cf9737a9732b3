//===- Records.h - The table of operators and their IR names --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Generated from the operator records; the IR reader and writer, the quantizer
// and the documentation read it.
//
//   const OperatorRecord *r = findLayerType("Convolution");
//   r->opName == "compass.convolution"; r->rule == RuleClass::MacRule;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_RECORDS_H
#define YARROW_DIALECTS_COMPASS_RECORDS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace mlir {
class Operation;
}

namespace yarrow::compass {

enum class RuleClass {
#define RULE(NAME) NAME,
#include "dialects/compass/IrNames.inc"
};

/// CompassBase.td documents the kinds.
enum class KeyKind {
  Int,
  Float,
  Bool,
  Word,
  Number,
  Ints,
  IntList,
  Nested,
  Words,
  Tensor
};

struct KeyRecord {
  llvm::StringRef name;
  KeyKind kind;
  bool intOnly;
};

struct OperatorRecord {
  llvm::StringRef opName, layerType;
  RuleClass rule;
  llvm::ArrayRef<KeyRecord> keys;
  const KeyRecord *findKey(llvm::StringRef name) const;
};

llvm::ArrayRef<OperatorRecord> allOperators();
/// By layer_type, compared without case; null if unknown.
const OperatorRecord *findLayerType(llvm::StringRef layerType);
/// The record of a compass op; null for other ops.
const OperatorRecord *recordOf(mlir::Operation *op);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_RECORDS_H
