//===- BoundInfinities.cpp - Constants of -inf as numbers -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/masks/BoundInfinities.h"

#include "dialects/compass/Compass.h"
#include "dialects/compass/ConstantValues.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/graph/GraphOps.h"
#include "dialects/compass/graph/Graphs.h"
#include "dialects/compass/logic/LogicOps.h"
#include "dialects/compass/norm/NormOps.h"
#include "dialects/compass/reduce/ReduceOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "quantizer/masks/DeadZones.h"
#include "quantizer/masks/MaskConstants.h"

#include <cmath>

using namespace yarrow::compass;

namespace yarrow {

/// A constant with infinities that no reader needs.
static bool boundConstant(ConstantOp constant, DeadZones &zones) {
  std::optional<std::vector<float>> values = floatsOfConstant(constant);
  if (!values)
    return false;
  bool hasLow = false, hasHigh = false;
  for (float v : *values) {
    hasLow |= std::isinf(v) && v < 0;
    hasHigh |= std::isinf(v) && v > 0;
  }
  mlir::Value result = constant->getResult(0);
  if ((!hasLow && !hasHigh) ||
      (hasLow && !zones.mayIgnore(result, Side::Low)) ||
      (hasHigh && !zones.mayIgnore(result, Side::High)))
    return false;
  for (float &v : *values)
    if (std::isinf(v))
      v = v < 0 ? -kMasked : kMasked;
  setFloats(constant, *values);
  constant->setAttr(kBoundedAttr, mlir::UnitAttr::get(constant->getContext()));
  return true;
}

/// A layer that \p op is replaced by, or that stands before it.
template <typename Op>
static Op layerBefore(mlir::Operation *op, mlir::RankedTensorType type,
                      mlir::ValueRange operands, llvm::StringRef suffix) {
  mlir::OpBuilder builder(op);
  std::string name = (layerNameOf(op) + suffix).str();
  auto place = mlir::NameLoc::get(builder.getStringAttr(name), op->getLoc());
  auto layer = Op::create(builder, place, mlir::TypeRange(type), operands);
  layer->setAttr(kTopNamesAttr, builder.getStrArrayAttr({name + "_0"}));
  return layer;
}

/// Of a Softmax whose masked positions were -inf: NaN in a row is that all of
/// it is masked.
static void askForMaximum(IsNaNOp question) {
  auto softmax = question->getOperand(0).getDefiningOp<SoftmaxOp>();
  if (!softmax)
    return;
  mlir::Value scores = softmax->getOperand(0);
  TensorInfo info = describe(scores);
  int64_t axis = searchedAxes(softmax).front();
  mlir::MLIRContext *context = question->getContext();
  mlir::Builder b(context);
  llvm::SmallVector<int64_t> rows(info.shape);
  rows[std::size_t(axis)] = 1;
  auto most = layerBefore<ReduceOp>(
      question, plainType(context, rows, info.dtype), scores, "_row");
  most->setAttr(keys::method, b.getStringAttr("MAX"));
  most->setAttr(keys::axis, b.getDenseI64ArrayAttr({axis}));
  // A choice takes a truth value of each row; others have one of each element.
  bool isChoice = llvm::all_of(question->getUsers(), [](mlir::Operation *user) {
    return llvm::isa<WhereOp>(user);
  });
  llvm::SmallVector<int64_t> shape(info.shape.size(), 1);
  if (!isChoice)
    shape.assign(info.shape.begin(), info.shape.end());
  auto constant = layerBefore<ConstantOp>(
      question, plainType(context, shape, DType::F32), {}, "_bound");
  setFloats(constant,
            std::vector<float>(
                std::size_t(describe(constant->getResult(0)).numElements()),
                -kMasked / 2));
  auto isMasked = layerBefore<LogicalOp>(
      question,
      plainType(context,
                isChoice ? llvm::ArrayRef(rows) : llvm::ArrayRef(shape),
                describe(question->getResult(0)).dtype),
      {most->getResult(0), constant->getResult(0)}, "_masked");
  isMasked->setAttr(keys::method, b.getStringAttr("LESS"));
  question->getResult(0).replaceAllUsesWith(isMasked->getResult(0));
  question->erase();
}

bool boundInfinities(mlir::ModuleOp module) {
  auto graph = mainGraph(module);
  if (!graph || !llvm::hasSingleElement(graph.getBody()))
    return false;
  DeadZones zones;
  bool isBounded = false;
  for (auto constant : graph.getOps<ConstantOp>())
    isBounded |= boundConstant(constant, zones);
  if (isBounded)
    for (auto question : llvm::make_early_inc_range(graph.getOps<IsNaNOp>()))
      askForMaximum(question);
  return isBounded;
}

} // namespace yarrow
