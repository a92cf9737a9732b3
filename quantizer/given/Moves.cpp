//===- Moves.cpp - Layers that keep stored integers -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Compass.h"
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/convert/ConvertOps.h"
#include "dialects/compass/movement/MovementOps.h"
#include "quantizer/given/Forms.h"

using namespace yarrow;
using namespace yarrow::compass;

/// A border holds the integer of its real value.
static void storeBorder(mlir::Operation *op, const StoredTensor &stored) {
  auto real = numberOf(op->getAttr("constant_value"));
  mlir::Builder b(op->getContext());
  op->setAttr("constant_value",
              b.getF64FloatAttr(double(stored.nearest(real.value_or(0)))));
}

bool yarrow::giveMove(GivenLayer &layer) {
  mlir::Operation *op = layer.op;
  if (layer.isClamped)
    return layer.hasNoForm("it moves values and clamps them");
  // Results that are stored mean the same: those of the first.
  for (mlir::Value result : op->getResults())
    if (auto stored = storedTensorOf(result);
        stored && !stored->means(layer.output))
      return layer.hasNoForm("its results have different scales");
  for (mlir::Value operand : op->getOperands())
    if (describe(operand).isFloat())
      return layer.hasNoForm("an operand is not stored");
  if (!layer.castOperands())
    return false;
  if (mlir::isa<PadOp>(op))
    storeBorder(op, layer.output);
  return true;
}

/// A Cast in the place of \p op that clamps by the range of its result.
bool yarrow::giveRequantization(GivenLayer &layer) {
  auto in = layer.input(0);
  if (!in)
    return layer.hasNoForm("its input is not stored");
  if (in->type.bits() > 16)
    return layer.hasNoForm("its input has more than 16 bits");
  auto m = requantOf(*in, layer.output);
  if (!m)
    return layer.hasNoForm("its scales lie too far apart");
  if (!mlir::isa<CastOp>(layer.op)) {
    mlir::OpBuilder builder(layer.op);
    auto cast =
        CastOp::create(builder, layer.op->getLoc(), layer.op->getResultTypes(),
                       layer.op->getOperands());
    cast->setAttr(kTopNamesAttr, layer.op->getAttr(kTopNamesAttr));
    layer.op->replaceAllUsesWith(cast->getResults());
    layer.op->erase();
    layer.op = cast;
  }
  layer.setWord("to_dtype", dtypeName(layer.output.type));
  layer.setRequant(*m);
  // As TFLite requantizes what XNNPACK does not take.
  if (std::max(in->type.bits(), layer.output.type.bits()) > 8 ||
      layer.options.rounding == GivenRounding::Reference)
    layer.setWord("requant_rounding", "DOUBLE");
  return true;
}
