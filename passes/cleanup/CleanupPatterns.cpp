//===- CleanupPatterns.cpp - What the clean-up patterns share -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "passes/cleanup/CleanupPatterns.h"

#include "dialects/compass/Layers.h"
#include "dialects/compass/graph/GraphOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace yarrow::compass;
using namespace mlir;

namespace yarrow::cleanup {

bool isOutput(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    return mlir::isa<func::ReturnOp>(user);
  });
}

void setTensorName(Operation *op, StringRef name) {
  op->setAttr(kTopNamesAttr, Builder(op->getContext()).getStrArrayAttr({name}));
}

bool replaceKeepingName(PatternRewriter &rewriter, Operation *op, Value value) {
  if (isOutput(op->getResult(0))) {
    Operation *producer = value.getDefiningOp();
    if (!producer || producer->hasTrait<trait::Source>() ||
        producer->getNumResults() != 1 || isOutput(value))
      return false;
    std::string name = tensorNameOf(op->getResult(0));
    rewriter.modifyOpInPlace(producer, [&] { setTensorName(producer, name); });
  }
  rewriter.replaceOp(op, value);
  return true;
}

std::optional<std::vector<float>> floatsOf(ElementsAttr attr) {
  auto view = attr ? viewConstant(attr) : std::nullopt;
  if (!view || !dtypeIsFloat(view->dtype))
    return std::nullopt;
  std::vector<float> values(std::size_t(view->numElements()));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = float(view->floatAt(int64_t(i)));
  return values;
}

std::optional<std::vector<float>> constantFloats(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  return constant ? floatsOf(tensorKey(constant, keys::weights)) : std::nullopt;
}

void setFloats(Operation *op, StringRef key, ArrayRef<int64_t> shape,
               const std::vector<float> &values) {
  op->setAttr(key, makeConstantOf<float>(op->getContext(),
                                         (layerNameOf(op) + "." + key).str(),
                                         shape, DType::F32, values));
}

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

int64_t axisOf(Operation *op, StringRef name, int64_t rank) {
  auto attr = op->getAttrOfType<IntegerAttr>(name);
  int64_t axis = attr ? attr.getInt() : -1;
  return axis < 0 ? axis + rank : axis;
}

} // namespace yarrow::cleanup
