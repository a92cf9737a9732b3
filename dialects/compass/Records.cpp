//===- Records.cpp - The table of operators and their IR names ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Records.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringMap.h"
#include <deque>
#include <vector>

using namespace yarrow::compass;

namespace {
struct Table {
  std::vector<OperatorRecord> operators;
  std::deque<std::vector<KeyRecord>> keys;
  llvm::StringMap<const OperatorRecord *> byType, byOp;

  Table() {
#define OPERATOR(OP, TYPE, RULE)                                               \
  operators.push_back({OP, TYPE, RuleClass::RULE, {}});                        \
  keys.emplace_back();
#define KEY(NAME, KIND, INT_ONLY)                                              \
  keys.back().push_back({NAME, KeyKind::KIND, INT_ONLY});
#define OPERATOR_END() operators.back().keys = keys.back();
#include "dialects/compass/IrNames.inc"
    for (const OperatorRecord &r : operators) {
      byType[r.layerType.lower()] = &r;
      byOp[r.opName] = &r;
    }
  }
};
const Table &table() {
  static const Table instance;
  return instance;
}
} // namespace

const KeyRecord *OperatorRecord::findKey(llvm::StringRef name) const {
  for (const KeyRecord &k : keys)
    if (k.name == name)
      return &k;
  return nullptr;
}

llvm::ArrayRef<OperatorRecord> yarrow::compass::allOperators() {
  return table().operators;
}

const OperatorRecord *
yarrow::compass::findLayerType(llvm::StringRef layerType) {
  return table().byType.lookup(layerType.lower());
}

const OperatorRecord *yarrow::compass::recordOf(mlir::Operation *op) {
  return table().byOp.lookup(op->getName().getStringRef());
}
