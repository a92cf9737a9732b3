//===- Records.cpp - The table of operators and their IR names ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Records.h"
#include "dialects/compass/AddOperator.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringMap.h"

using namespace yarrow::compass;

namespace yarrow::compass {
#include "dialects/compass/IrNames.inc"
} // namespace yarrow::compass

namespace {
struct Index {
  /// kOperators and behind them those that were added. Never moved: others
  /// point to its elements.
  std::vector<OperatorRecord> operators;
  llvm::StringMap<const OperatorRecord *> byType, byOp;

  Index() {
    operators.reserve(std::size(kOperators) + kMostAddedOperators);
    operators.assign(std::begin(kOperators), std::end(kOperators));
    for (const OperatorRecord &r : operators) {
      byType[r.layerType.lower()] = &r;
      byOp[r.opName] = &r;
    }
    for (const OperatorRecord &r : operators)
      for (llvm::StringRef spelling : r.spellings)
        byType.try_emplace(spelling.lower(), &r);
  }
};
Index &recordIndex() {
  static Index instance;
  return instance;
}

constexpr llvm::StringLiteral kCustomOp = "compass.custom";
constexpr llvm::StringLiteral kLayerTypeAttr = "layer_type";
} // namespace

const KeyRecord *OperatorRecord::findKey(llvm::StringRef name) const {
  for (const KeyRecord &k : keys)
    if (k.name == name)
      return &k;
  return nullptr;
}

const KeyRecord *OperatorRecord::methodKey() const {
  for (const KeyRecord &k : keys)
    if (k.choosesMethod)
      return &k;
  return nullptr;
}

const MethodRecord *OperatorRecord::findMethod(llvm::StringRef name) const {
  for (const MethodRecord &m : methods)
    if (m.name.equals_insensitive(name))
      return &m;
  return nullptr;
}

llvm::ArrayRef<OperatorRecord> yarrow::compass::allOperators() {
  return recordIndex().operators;
}

const OperatorRecord *
yarrow::compass::findLayerType(llvm::StringRef layerType) {
  return recordIndex().byType.lookup(layerType.lower());
}

const OperatorRecord *yarrow::compass::recordOf(mlir::Operation *op) {
  llvm::StringRef name = op->getName().getStringRef();
  if (name != kCustomOp)
    return recordIndex().byOp.lookup(name);
  auto type = op->getAttrOfType<mlir::StringAttr>(kLayerTypeAttr);
  const OperatorRecord *record = type ? findLayerType(type) : nullptr;
  return record && record->plugin ? record : nullptr;
}

const OperatorRecord *
yarrow::compass::addOperator(const OperatorRecord &record) {
  Index &index = recordIndex();
  if (index.operators.size() == index.operators.capacity())
    return nullptr;
  assert(!findLayerType(record.layerType) && "its reader has looked");
  OperatorRecord &added = index.operators.emplace_back(record);
  added.opName = kCustomOp;
  index.byType[added.layerType.lower()] = &added;
  return &added;
}

mlir::Value yarrow::compass::countOf(mlir::Value value) {
  auto result = llvm::dyn_cast<mlir::OpResult>(value);
  const OperatorRecord *record = result ? recordOf(result.getOwner()) : nullptr;
  if (!record || record->outputs.empty())
    return {};
  // The tensor of a list stands for all results from its place on.
  size_t last = record->outputs.size() - 1;
  size_t place = std::min<size_t>(result.getResultNumber(), last);
  const TensorRecord &tensor = record->outputs[place];
  if (tensor.countedBy.empty())
    return {};
  size_t by = result.getOwner()->getNumResults() - 1;
  if (!tensor.variadic) {
    const auto *count = llvm::find_if(record->outputs, [&](const auto &output) {
      return output.name == tensor.countedBy;
    });
    assert(count != record->outputs.end() && "no output of this name");
    by = size_t(count - record->outputs.begin());
  }
  bool isThere =
      by < result.getOwner()->getNumResults() && by != result.getResultNumber();
  return isThere ? result.getOwner()->getResult(unsigned(by)) : mlir::Value();
}

const RuleRecord &yarrow::compass::ruleRecord(RuleClass rule) {
  return kRules[static_cast<size_t>(rule)];
}

llvm::ArrayRef<InfoKeyRecord> yarrow::compass::infoKeys() { return kInfoKeys; }

bool yarrow::compass::isComputed(mlir::Operation *op, bool integer) {
  const OperatorRecord *record = recordOf(op);
  if (!record)
    return false;
  if (const KeyRecord *key = record->methodKey()) {
    auto word = op->getAttrOfType<mlir::StringAttr>(key->name);
    if (const MethodRecord *method = record->findMethod(
            word ? word.getValue() : llvm::StringRef(key->defaultText)))
      return isComputed(method->computedIn, integer);
  }
  return isComputed(record->computedIn, integer);
}
