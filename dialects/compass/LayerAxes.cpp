//===- LayerAxes.cpp - The axes that a layer names ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerAxes.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/LayerError.h"
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/Records.h"
#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

FailureOr<SmallVector<int64_t>> compass::axesKey(Operation *op, int64_t rank) {
  SmallVector<int64_t> axes = intsKey(op, keys::axis);
  if (axes.empty())
    return layerError(op, diag::OpBadAttribute, keys::axis,
                      "the key axis names no axis")
        .expected("one axis or more");
  for (int64_t &axis : axes) {
    auto wrapped = normalizeAxis(op, axis, rank);
    if (failed(wrapped))
      return failure();
    axis = *wrapped;
  }
  llvm::sort(axes);
  if (auto twice = std::adjacent_find(axes.begin(), axes.end());
      twice != axes.end())
    return layerError(op, diag::OpBadAttribute, keys::axis,
                      "the key axis names axis " + Twine(*twice) + " twice")
        .found(shapeText(intsKey(op, keys::axis)))
        .expected("each axis once");
  return axes;
}

static bool hasSlopeAlongAxes(Operation *op) {
  ElementsAttr slope = tensorKey(op, keys::negative_slope);
  return slope && slope.getNumElements() != 1;
}

bool compass::isElementwise(Operation *op) {
  // CRELU makes twice as many channels.
  return op->hasTrait<trait::Elementwise>() && !hasSlopeAlongAxes(op) &&
         (op->getNumOperands() != 1 ||
          shapeOf(op->getOperand(0)) == shapeOf(op->getResult(0)));
}

bool compass::isFreeOfAxisOrder(Operation *op) {
  return op->hasTrait<trait::AxesByKey>() || isElementwise(op);
}

/// The value of a key of axisKeys, each axis replaced by \p moved of it.
static Attribute movedAxes(Operation *op, IntKey key,
                           llvm::function_ref<int64_t(int64_t)> moved) {
  Builder b(op->getContext());
  auto list = op->getAttrOfType<DenseI64ArrayAttr>(key);
  if (!list)
    return b.getI64IntegerAttr(moved(intKey(op, key)));
  SmallVector<int64_t> axes = llvm::map_to_vector(list.asArrayRef(), moved);
  llvm::sort(axes);
  return b.getDenseI64ArrayAttr(axes);
}

void compass::permuteAxes(Operation *op, ArrayRef<int64_t> perm) {
  const OperatorRecord *record = recordOf(op);
  Builder b(op->getContext());
  for (StringRef key : record->perAxisKeys) {
    Attribute attr = op->getAttr(key);
    if (auto list = dyn_cast_or_null<DenseI64ArrayAttr>(attr))
      op->setAttr(key, b.getDenseI64ArrayAttr(unpermuted(
                           SmallVector<int64_t>(list.asArrayRef()), perm)));
    else if (auto rows = dyn_cast_or_null<ArrayAttr>(attr))
      op->setAttr(key, b.getArrayAttr(unpermuted(
                           SmallVector<Attribute>(rows.getValue()), perm)));
  }
  for (StringRef key : record->axisKeys)
    op->setAttr(key, movedAxes(op, IntKey::ofRecord(key), [&](int64_t axis) {
                  return perm[axis < 0 ? axis + perm.size() : axis];
                }));
}
