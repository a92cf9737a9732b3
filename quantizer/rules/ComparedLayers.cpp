//===- ComparedLayers.cpp - What a tensor's peaks are found by ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/rules/ComparedLayers.h"

#include "dialects/compass/Compass.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/Traits.h"
#include "dialects/compass/eltwise/BinaryFunction.h"
#include "dialects/compass/graph/Graphs.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "quantizer/rules/SharedScale.h"

using namespace yarrow::compass;

namespace yarrow {

/// What \p value is moved from, or chosen from as a maximum or minimum, and
/// whether it is chosen.
static std::pair<mlir::Value, bool> chosenFrom(mlir::Value value) {
  bool isChosen = false;
  while (mlir::Operation *op = value.getDefiningOp()) {
    std::optional<unsigned> from =
        recordOf(op)
            ? sharedOperand(op,
                            mlir::cast<mlir::OpResult>(value).getResultNumber())
            : std::nullopt;
    if (!from)
      break;
    RuleClass rule = recordOf(op)->rule;
    if (rule == RuleClass::PoolRule || rule == RuleClass::ReduceRule) {
      std::string method = wordKey(op, keys::method);
      if (method != "MAX" && method != "MIN")
        break;
      isChosen = true;
    }
    value = op->getOperand(*from);
  }
  return {value, isChosen};
}

static bool findsPeaks(mlir::Operation *op) {
  using kernels::BinaryOp;
  auto binary = llvm::dyn_cast<BinaryFunction>(op);
  const OperatorRecord *record = recordOf(op);
  if (!binary || !record || record->rule != RuleClass::LogicalRule ||
      op->getNumOperands() != 2 || !describe(op->getOperand(0)).isFloat())
    return false;
  switch (binary.binaryFunction()) {
  case BinaryOp::Equal:
  case BinaryOp::NotEqual:
  case BinaryOp::Greater:
  case BinaryOp::GreaterEqual:
  case BinaryOp::Less:
  case BinaryOp::LessEqual:
    break;
  default:
    return false;
  }
  auto [a, isChosenA] = chosenFrom(op->getOperand(0));
  auto [b, isChosenB] = chosenFrom(op->getOperand(1));
  return a == b && isChosenA != isChosenB;
}

/// Adds the layers that \p value comes through: up to one that sums or
/// multiplies, whose sums have more bits than any result.
static void addMakers(mlir::Value value,
                      llvm::SetVector<mlir::Operation *> &layers) {
  mlir::Operation *op = value.getDefiningOp();
  const OperatorRecord *record = op ? recordOf(op) : nullptr;
  if (!record || op->getNumOperands() == 0 || !describe(value).isFloat() ||
      !layers.insert(op))
    return;
  switch (record->rule) {
  case RuleClass::ActivationRule:
  case RuleClass::LutRule:
  case RuleClass::ConcatRule:
    for (mlir::Value operand : op->getOperands())
      addMakers(operand, layers);
    return;
  default:
    for (mlir::OpResult result : op->getResults())
      if (auto from = sharedOperand(op, result.getResultNumber()))
        addMakers(op->getOperand(*from), layers);
  }
}

llvm::SetVector<mlir::Operation *> layersOfPeaks(mlir::ModuleOp module) {
  llvm::SetVector<mlir::Operation *> layers;
  auto graph = mainGraph(module);
  if (!graph || !llvm::hasSingleElement(graph.getBody()))
    return layers;
  for (mlir::Operation &op : graph.getBody().front())
    if (findsPeaks(&op))
      for (mlir::Value operand : op.getOperands())
        addMakers(operand, layers);
  return layers;
}

} // namespace yarrow
