//===- ImpliedKeys.cpp - What a layer that lacks a key has ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/compass/ImpliedKeys.h"
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/Verify.h"
#include "dialects/compass/convert/ConvertOps.h"
#include "dialects/compass/movement/MovementOps.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

/// A length of the weights, which are [output, y, x, ...] or [output, y, x, z,
/// ...].
static std::optional<IrValue> weightLength(Operation *op, size_t axis) {
  ElementsAttr weights = tensorKey(op, keys::weights);
  if (!weights || weights.getShapedType().getRank() <= int64_t(axis))
    return std::nullopt;
  return IrValue::integer(weights.getShapedType().getShape()[axis]);
}

/// Of keys without a default in their record, by their names: these mean the
/// same in every operator that has them.
static std::optional<IrValue> valueOfTensors(StringRef name, Operation *op) {
  if (name == "num_output")
    return IrValue::integer(declaredShape(op, 0).back());
  if (name == "kernel_y")
    return weightLength(op, 1);
  if (name == "kernel_x")
    return weightLength(op, 2);
  if (name == "kernel_z")
    return weightLength(op, 3);
  if (name == "count_include_pad")
    return IrValue::boolean(false);
  if (name == "to_dtype" && isa<CastOp>(op))
    return IrValue::word(
        dtypeName(describe(op->getResult(0)).storedType()).str());
  if (name == "constant_value" && isa<PadOp>(op))
    return IrValue::floating(0);
  return std::nullopt;
}

std::optional<IrValue> compass::impliedValue(const KeyRecord &key,
                                             Operation *op) {
  if (!keyApplies(key, op))
    return std::nullopt;
  if (key.defaultText.empty())
    return valueOfTensors(key.name, op);
  IrValue value = IrValue::scalar(key.defaultText);
  if (key.kind == KeyKind::Float) // 1e-5 in the record, 1e-05 in IR text
    value = IrValue::floating(value.asFloat().value_or(0));
  return value;
}
