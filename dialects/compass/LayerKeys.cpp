//===- LayerKeys.cpp - Keys, shapes and constants of a layer --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/Records.h"
#include "support/diagnostics/Operators.h"
#include "llvm/Support/FormatVariadic.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

static StringRef defaultOf(Operation *op, StringRef name) {
  const OperatorRecord *record = recordOf(op);
  const KeyRecord *key = record ? record->findKey(name) : nullptr;
  return key ? StringRef(key->defaultText) : StringRef();
}

int64_t compass::intKey(Operation *op, IntKey name) {
  if (auto value = op->getAttrOfType<IntegerAttr>(name))
    return value.getInt();
  int64_t value = 0;
  // No default leaves 0.
  (void)defaultOf(op, name).getAsInteger(10, value);
  return value;
}

double compass::floatKey(Operation *op, FloatKey name) {
  if (auto value = numberOf(op->getAttr(name)))
    return *value;
  double value = 0;
  (void)defaultOf(op, name).getAsDouble(value);
  return value;
}

bool compass::boolKey(Operation *op, BoolKey name) {
  if (auto value = op->getAttrOfType<BoolAttr>(name))
    return value.getValue();
  return defaultOf(op, name) == "true";
}

SmallVector<SmallVector<int64_t>> compass::nestedKey(Operation *op,
                                                     NestedKey name) {
  SmallVector<SmallVector<int64_t>> rows;
  if (auto list = op->getAttrOfType<ArrayAttr>(name))
    for (Attribute row : list) {
      SmallVector<int64_t> values;
      if (auto ints = dyn_cast<DenseI64ArrayAttr>(row))
        llvm::append_range(values, ints.asArrayRef());
      else if (auto items = dyn_cast<ArrayAttr>(row))
        for (Attribute item : items)
          if (auto integer = dyn_cast<IntegerAttr>(item))
            values.push_back(integer.getInt());
      rows.push_back(values);
    }
  return rows;
}

FailureOr<int64_t> compass::axisKey(Operation *op, IntKey name, int64_t rank) {
  int64_t axis = intKey(op, name);
  if (axis >= -rank && axis < rank)
    return axis < 0 ? axis + rank : axis;
  return layerError(op, diag::OpBadAttribute, name,
                    "the key " + name +
                        " names an axis that the tensor does "
                        "not have")
      .found(Twine(axis))
      .expected(Twine(-rank) + " to " + Twine(rank - 1));
}

FailureOr<int64_t> compass::axisOrFlat(Operation *op,
                                       SmallVectorImpl<int64_t> &shape,
                                       size_t leading) {
  if (op->hasAttr(keys::axis))
    return axisKey(op, keys::axis, shape.size());
  int64_t elements = product(shape);
  shape.assign(leading, 1);
  shape.push_back(elements);
  return int64_t(leading);
}

ArrayRef<int64_t> compass::shapeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape();
}

std::optional<ConstantView> compass::constantInput(Operation *op, unsigned i) {
  Operation *source = op->getOperand(i).getDefiningOp();
  const OperatorRecord *record = source ? recordOf(source) : nullptr;
  if (!record || record->layerType != "Constant")
    return std::nullopt;
  ElementsAttr value = tensorKey(source, keys::weights);
  return value ? viewConstant(value) : std::nullopt;
}

LogicalResult compass::checkConstantRange(Operation *op, unsigned i,
                                          int64_t least, int64_t most,
                                          const Twine &what) {
  auto values = constantInput(op, i);
  if (!values || dtypeIsFloat(values->dtype))
    return success();
  for (int64_t k = 0, e = values->numElements(); k < e; ++k) {
    int64_t value = values->intAt(k);
    if (value < least || value > most)
      return layerError(op, diag::OpInvalid, "layer_bottom",
                        "element " + Twine(k) + " of the constant input " +
                            Twine(i) + " is out of range (" + what + ")")
          .found(Twine(value))
          .expected(Twine(least) + " to " + Twine(most));
  }
  return success();
}

/// Whether a tensor of shape \p small repeats, as numpy does it, to \p full.
static bool broadcastsTo(ArrayRef<int64_t> small, ArrayRef<int64_t> full) {
  if (small.size() > full.size())
    return false;
  return llvm::all_of(llvm::zip(small, full.take_back(small.size())),
                      [](auto pair) {
                        auto [a, b] = pair;
                        return a == 1 || a == b;
                      });
}

LogicalResult compass::checkFusedActivation(Operation *op,
                                            ArrayRef<int64_t> shape) {
  std::string word = wordKey(op, keys::with_activation, "NONE");
  if (word == "CLIP") {
    auto least = numberOf(op->getAttr(keys::clip_min)),
         most = numberOf(op->getAttr(keys::clip_max));
    if (least && most && !(*least <= *most))
      return layerError(op, diag::OpBadAttribute, keys::clip_min,
                        "the bounds of CLIP are in the wrong order")
          .found(llvm::formatv("{0} and {1}", *least, *most).str())
          .expected("clip_min at most clip_max");
  }
  ElementsAttr attr =
      word == "PRELU" ? tensorKey(op, keys::negative_slope) : nullptr;
  auto slope = attr ? viewConstant(attr) : std::nullopt;
  if (slope && !broadcastsTo(slope->shape, shape))
    return layerError(op, diag::OpInvalid, "negative_slope_shape",
                      "the slopes of PRELU do not broadcast to the result")
        .found(shapeText(slope->shape))
        .expected("lengths of 1 or the last ones of " + shapeText(shape));
  return success();
}
