//===- Records.cpp - The table of operators and their IR names ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Records.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringMap.h"

using namespace yarrow::compass;

namespace yarrow::compass {
#include "dialects/compass/IrNames.inc"
} // namespace yarrow::compass

namespace {
struct Index {
  llvm::StringMap<const OperatorRecord *> byType, byOp;

  Index() {
    for (const OperatorRecord &r : kOperators) {
      byType[r.layerType.lower()] = &r;
      byOp[r.opName] = &r;
    }
    for (const OperatorRecord &r : kOperators)
      for (llvm::StringRef spelling : r.spellings)
        byType.try_emplace(spelling.lower(), &r);
  }
};
const Index &recordIndex() {
  static const Index instance;
  return instance;
}
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
  return kOperators;
}

const OperatorRecord *
yarrow::compass::findLayerType(llvm::StringRef layerType) {
  return recordIndex().byType.lookup(layerType.lower());
}

const OperatorRecord *yarrow::compass::recordOf(mlir::Operation *op) {
  return recordIndex().byOp.lookup(op->getName().getStringRef());
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
