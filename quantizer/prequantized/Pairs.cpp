//===- Pairs.cpp - Arithmetic on two stored tensors -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Locations.h"
#include "dialects/compass/eltwise/BinaryFunction.h"
#include "quantizer/prequantized/Forms.h"
#include "quantizer/prequantized/PairConstants.h"
#include "support/diagnostics/Quantizer.h"

#include <cmath>

using namespace yarrow;
using namespace yarrow::compass;
using kernels::BinaryOp;

static PairSide sideOf(const StoredTensor &t) {
  return {t.step, t.zero, t.lo, t.hi};
}

static void reportInexact(PrequantizedLayer &layer, int64_t numInexact) {
  layer.diags
      .report(diag::PrequantizedInexact, placeOf(layer.op->getLoc()),
              "multipliers are not exact for all pairs of the layer's inputs")
      .found(std::to_string(numInexact) + " pairs are one step off");
}

/// Sums as TFLite's own kernels have them, which XNNPACK does not take (int16)
/// or which are asked for: operands with more bits, brought to twice the larger
/// step, added, and brought to the result's, each rounded twice.
static bool giveSumInTurns(PrequantizedLayer &layer, const StoredTensor &a,
                           const StoredTensor &b) {
  bool isWide = std::max(a.type.bits(), b.type.bits()) > 8;
  int64_t leftShift = isWide ? 15 : 20;
  double common = 2 * std::max(a.step, b.step);
  auto result =
      multiplierOf(std::ldexp(common, -int(leftShift)) / layer.output.step);
  auto ma = multiplierOf(a.step / common), mb = multiplierOf(b.step / common);
  if (!result || !ma || !mb)
    return layer.hasNoForm("its scales are too far apart");
  layer.setRequants({*result, *ma, *mb});
  layer.setInt(keys::operand_left_shift, leftShift);
  layer.setWord(keys::requant_rounding, "DOUBLE");
  return true;
}

static bool roundsTwice(const PrequantizedLayer &layer, const StoredTensor &a,
                        const StoredTensor &b) {
  return std::max(a.type.bits(), b.type.bits()) > 8 ||
         layer.options.rounding == PrequantizedRounding::Reference;
}

static bool giveSum(PrequantizedLayer &layer, const StoredTensor &a,
                    const StoredTensor &b, int sign) {
  if (roundsTwice(layer, a, b))
    return giveSumInTurns(layer, a, b);
  bool isTflite = layer.saidRounding == "HALF_UP";
  bool isOfOneType = a.type == b.type && a.type == layer.output.type;
  PairConstants c;
  if (isTflite && isOfOneType)
    c = xnnpackSumConstants(sideOf(a), sideOf(b), sideOf(layer.output), sign);
  if (isTflite && c.a == 0)
    return giveSumInTurns(layer, a, b); // what XNNPACK leaves to TFLite's own
  if (!isTflite)
    c = sumConstants(sideOf(a), sideOf(b), sideOf(layer.output), sign);
  if (c.a == 0 && c.b == 0)
    return layer.hasNoForm("its scales are too far apart");
  if (c.numInexact > 0)
    reportInexact(layer, c.numInexact);
  layer.setRequant({1, c.a, c.b}, c.shift);
  if (c.rounding == Rounding::HalfUp)
    layer.setWord(keys::requant_rounding, "HALF_UP");
  return true;
}

static bool giveProductOfPairs(PrequantizedLayer &layer, const StoredTensor &a,
                               const StoredTensor &b) {
  PairConstants c =
      productConstants(sideOf(a), sideOf(b), sideOf(layer.output));
  if (c.a == 0)
    return layer.hasNoForm("its scales are too far apart");
  if (c.numInexact > 0)
    reportInexact(layer, c.numInexact);
  layer.setRequant(Multiplier{int32_t(c.a), c.shift});
  if (roundsTwice(layer, a, b))
    layer.setWord(keys::requant_rounding, "DOUBLE");
  return true;
}

/// Of operands that mean the same as the result, the stored integers.
static bool giveExtreme(PrequantizedLayer &layer) {
  if (!layer.castOperands())
    return false;
  layer.setRequant({1, 1, 1}, 0);
  return true;
}

bool yarrow::giveBinary(PrequantizedLayer &layer) {
  if (layer.op->getNumOperands() != 2)
    return layer.hasNoForm("it has one operand");
  auto a = layer.input(0), b = layer.input(1);
  if (!a || !b)
    return layer.hasNoForm("an operand is not stored");
  if (std::max(a->type.bits(), b->type.bits()) > 16)
    return layer.hasNoForm("an operand has more than 16 bits");
  switch (mlir::cast<BinaryFunction>(layer.op).binaryFunction()) {
  case BinaryOp::Add:
    return giveSum(layer, *a, *b, 1);
  case BinaryOp::Sub:
    return giveSum(layer, *a, *b, -1);
  case BinaryOp::Mul:
    return giveProductOfPairs(layer, *a, *b);
  case BinaryOp::Max:
  case BinaryOp::Min:
    return giveExtreme(layer);
  default:
    return layer.hasNoForm("the function has no integer form");
  }
}
