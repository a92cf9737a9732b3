//===- Forms.cpp - Which integer form a layer has -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/prequantized/Forms.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/pool/PoolOps.h"
#include "llvm/ADT/StringSwitch.h"

using namespace yarrow;
using namespace yarrow::compass;

static bool giveActivation(PrequantizedLayer &layer) {
  bool isClamp =
      llvm::StringSwitch<bool>(wordKey(layer.op, keys::method, "RELU"))
          .Cases({"RELU", "RELU6", "CLIP"}, true)
          .Default(false);
  return isClamp ? giveRequantization(layer) : giveTable(layer);
}

static bool givePool(PrequantizedLayer &layer) {
  if (mlir::isa<PoolingOp>(layer.op))
    return givePooling(layer);
  if (wordKey(layer.op, keys::method, "MAX") == "MAX")
    return giveMove(layer);
  return layer.hasNoForm("means over these windows have no exact form");
}

bool yarrow::giveStored(PrequantizedLayer &layer) {
  if (layer.isClamped)
    return layer.hasNoForm("its result is clamped");
  for (mlir::Value value : layer.op->getOperands())
    if (describe(value).isFloat())
      return layer.hasNoForm("an operand is not stored");
  for (mlir::Value value : layer.op->getResults())
    if (describe(value).isFloat())
      return layer.hasNoForm("a result is not stored");
  return true;
}

bool yarrow::giveIntegers(PrequantizedLayer &layer) {
  const OperatorRecord &record = *recordOf(layer.op);
  switch (record.rule) {
  case RuleClass::MacRule:
  case RuleClass::DepthwiseRule:
  case RuleClass::TransposedRule:
    return giveProduct(layer);
  case RuleClass::MatMulRule:
    return giveMatMul(layer);
  case RuleClass::EltwiseRule:
    return giveBinary(layer);
  case RuleClass::LutRule:
  case RuleClass::PeriodicRule:
    return giveTable(layer);
  case RuleClass::ActivationRule:
    return giveActivation(layer);
  case RuleClass::CastRule:
    return giveRequantization(layer);
  case RuleClass::PoolRule:
    return givePool(layer);
  case RuleClass::ReduceRule:
    return giveReduction(layer);
  case RuleClass::StoredLstmRule:
    return giveStored(layer);
  case RuleClass::ResizeRule:
    return giveResize(layer);
  case RuleClass::SoftmaxRule:
    return giveSoftmax(layer);
  case RuleClass::PassRule:
  case RuleClass::PadRule:
  case RuleClass::ConcatRule:
  case RuleClass::ArgMinMaxRule:
    return giveMove(layer);
  default:
    return layer.hasNoForm(record.layerType.str() +
                           " has no form with the model's scales");
  }
}
