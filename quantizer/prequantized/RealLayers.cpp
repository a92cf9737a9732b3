//===- RealLayers.cpp - Layers of stored tensors that stay in floats ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Compass.h"
#include "dialects/compass/Compat.h"
#include "dialects/compass/ConstantValues.h"
#include "dialects/compass/ExtraKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/convert/ConvertOps.h"
#include "dialects/compass/graph/GraphOps.h"
#include "quantizer/prequantized/Forms.h"
#include "quantizer/rules/LayerContext.h"

using namespace yarrow;
using namespace yarrow::compass;

/// The real numbers that the integers of \p view mean, a row for each step.
static mlir::ElementsAttr realConstant(mlir::Operation *op,
                                       llvm::StringRef name,
                                       const ConstantView &view,
                                       const ConstantMeaning &meaning) {
  int64_t count = view.numElements(),
          rows = std::max<int64_t>(int64_t(meaning.steps.size()), 1),
          length = std::max<int64_t>(count / rows, 1);
  std::vector<float> values;
  values.reserve(size_t(count));
  for (int64_t i = 0; i < count; ++i) {
    auto row = size_t(i / length);
    int64_t q = view.intAt(i) - meaning.zeroPointAt(row);
    values.push_back(float(meaning.stepAt(row) * double(q)));
  }
  return makeConstantOf<float>(op->getContext(), name, view.shape, DType::F32,
                               values);
}

/// Biases that say nothing have the steps of the products.
static std::optional<ConstantMeaning> productMeaning(mlir::Operation *op) {
  auto weights = meaningOf(op, "weights");
  auto in = storedTensorOf(op->getOperand(0));
  if (!weights || !in)
    return std::nullopt;
  ConstantMeaning products;
  for (double step : weights->steps)
    products.steps.push_back(in->step * step);
  return products;
}

/// Weights and biases that the model stores become the reals they stand for.
static void makeConstantsReal(mlir::Operation *op) {
  for (TensorKey key : {keys::biases, keys::weights}) {
    mlir::ElementsAttr attr = tensorKey(op, key);
    auto view = attr ? viewConstant(attr) : std::nullopt;
    auto meaning = meaningOf(op, key);
    if (!meaning && key == keys::biases)
      meaning = productMeaning(op);
    if (view && !dtypeIsFloat(view->dtype) && meaning)
      op->setAttr(key, realConstant(op, (layerNameOf(op) + "." + key).str(),
                                    *view, *meaning));
  }
  op->removeAttr(kExtraConstantsAttr);
  dropExtraKeys(op,
                {"weights_scale", "weights_zp", "biases_scale", "biases_zp"});
}

/// A conversion right behind \p from. The layer is named after its tensor.
template <typename Op>
static mlir::Value
insertConversion(mlir::Value from, mlir::RankedTensorType type,
                 llvm::StringRef tensor, const TensorInfo &stored) {
  mlir::OpBuilder builder(from.getContext());
  builder.setInsertionPointAfterValue(from);
  std::string layer =
      (tensor + (std::is_same_v<Op, QuantizeOp> ? "_quantize" : "_dequantize"))
          .str();
  auto place = mlir::NameLoc::get(builder.getStringAttr(layer),
                                  from.getDefiningOp()->getLoc());
  Op op = Op::create(builder, place, mlir::TypeRange(type), from);
  op->setAttr(kTopNamesAttr, builder.getStrArrayAttr({tensor}));
  setConversionKeys(op, stored);
  return op->getResult(0);
}

static mlir::RankedTensorType realType(mlir::Value value) {
  return plainType(value.getContext(), describe(value).shape, DType::F32);
}

/// The real numbers of a stored tensor that \p reader reads. One that the model
/// has already may come too late.
static mlir::Value realOf(mlir::Value stored, mlir::Operation *reader) {
  for (mlir::Operation *user : stored.getUsers())
    if (mlir::isa<DeQuantizeOp>(user) &&
        user->getBlock() == reader->getBlock() &&
        user->isBeforeInBlock(reader) &&
        user->getResult(0).getType() == realType(stored))
      return user->getResult(0);
  return insertConversion<DeQuantizeOp>(stored, realType(stored),
                                        tensorNameOf(stored) + "_real",
                                        describe(stored));
}

/// Result \p i becomes real; who reads it gets it stored again, under its name.
/// Its own name is not that of realOf(): another reader may want the real
/// numbers that the stored ones stand for.
static void storeResult(mlir::Operation *op, unsigned i) {
  mlir::Value result = op->getResult(i);
  auto stored = mlir::cast<mlir::RankedTensorType>(result.getType());
  std::string name = tensorNameOf(result);
  TensorInfo info = describe(result);
  std::vector<std::string> names;
  for (mlir::Value other : op->getResults())
    names.push_back(other == result ? name + "_unrounded"
                                    : tensorNameOf(other));
  result.setType(realType(result));
  mlir::Value again = insertConversion<QuantizeOp>(result, stored, name, info);
  result.replaceAllUsesExcept(again, again.getDefiningOp());
  llvm::SmallVector<llvm::StringRef> list(names.begin(), names.end());
  op->setAttr(kTopNamesAttr,
              mlir::Builder(op->getContext()).getStrArrayAttr(list));
}

void yarrow::computeInFloats(mlir::Operation *op) {
  // While the input's step is still there: biases may have no other.
  makeConstantsReal(op);
  for (mlir::OpOperand &operand : op->getOpOperands())
    if (isStored(operand.get()))
      operand.set(realOf(operand.get(), op));
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    if (isStored(op->getResult(i)))
      storeResult(op, i);
}
