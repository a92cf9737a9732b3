//===- PassRules.cpp - Layers that keep their input's scale ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Data movement, resizing, sign changes: the integers keep their
// meaning or nearly so.
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/Records.h"
#include "quantizer/rules/Rules.h"

#include <algorithm>

using namespace yarrow::compass;

namespace yarrow {

bool quantizePass(LayerContext &layer) {
  // As many results as operands belong to them, each to its own.
  const auto &records = recordOf(layer.op)->outputs;
  unsigned results = layer.op->getNumResults();
  for (unsigned i = 0; i < results; ++i)
    if (i < records.size() && records[i].type == TensorClass::Integer)
      quantizeIndexResult(layer, i);
    else
      layer.shareWithInput(i, results == layer.numInputs() ? i : 0);
  return true;
}

/// Slices that are moved, and how many in the last result.
bool quantizeFilter(LayerContext &layer) {
  quantizePass(layer);
  quantizeIndexResult(layer, layer.op->getNumResults() - 1);
  return true;
}

bool quantizePad(LayerContext &layer) {
  // The border holds the stored integer.
  auto value = float(layer.number("constant_value").value_or(0));
  mlir::Builder b(layer.op->getContext());
  layer.op->setAttr(
      "constant_value",
      b.getF64FloatAttr(double(quantizeValue(value, layer.input(0)))));
  layer.shareWithInput();
  return true;
}

bool quantizeResize(LayerContext &layer) {
  if (layer.options.resizeToNearest)
    layer.setWord("method", "NEAREST");
  bool isBilinear = layer.word("method", "BILINEAR") == "BILINEAR";
  layer.setInt("interp_shift_value", isBilinear ? 13 : 0);
  layer.setExtra("interp_shift_type", "int8");
  layer.shareWithInput();
  return true;
}

static LinearParams negated(const LinearParams &in) {
  LinearParams out = in;
  out.isSigned = true;
  out.qmin = integerMin(in.bits, true);
  out.qmax = integerMax(in.bits, true);
  // -(q + zp) lies in [-qmax - zp, -qmin - zp]; the zero point moves that to
  // the signed type, exactly.
  out.zp = int32_t(in.isSigned ? 1 - in.zp : -in.zp - out.qmax);
  return out;
}

/// The same values without a zero point, as signed integers of as many bits.
static LinearParams symmetric(const LinearParams &in) {
  LinearParams out = in;
  out.isSigned = true;
  out.zp = 0;
  out.qmin = integerMin(in.bits, true);
  out.qmax = integerMax(in.bits, true);
  // q + zp lies in [qmin + zp, qmax + zp].
  int64_t most = std::max(std::abs(in.qmin + in.zp), std::abs(in.qmax + in.zp));
  out.scale = in.scale * float(double(out.qmax) / double(most));
  return out;
}

bool quantizeNegative(LayerContext &layer) {
  layer.setOutput(0, negated(layer.input(0)), layer.isInvariant(0));
  return true;
}

bool quantizeSign(LayerContext &layer) {
  LinearParams out;
  out.bits = layer.input(0).bits;
  out.qmin = integerMin(out.bits, true);
  out.qmax = integerMax(out.bits, true);
  layer.setOutput(0, out, /*isInvariant=*/true);
  return true;
}

static bool requantize(LayerContext &layer, bool isSigned) {
  LinearParams in = layer.input(0), out = layer.outputParams(isSigned);
  unsigned bits = std::min(in.bits, 16u);
  layer.setRequant(layer.approximate(out.scale / in.scale, bits), bits);
  layer.setOutput(0, out);
  return true;
}

bool quantizeRequant(LayerContext &layer) {
  return requantize(layer, layer.input(0).isSigned);
}

bool quantizeAbs(LayerContext &layer) {
  LinearParams in = layer.input(0);
  if (!layer.isInvariant(0))
    return requantize(layer, /*isSigned=*/false);
  // Whole numbers stay what they are; unsigned, so that the least one fits.
  layer.setRequant({.multiplier = 1, .shift = 0}, std::min(in.bits, 16u));
  in.isSigned = false;
  in.qmin = 0;
  in.qmax = integerMax(in.bits, false);
  layer.setOutput(0, in, /*isInvariant=*/true);
  return true;
}

bool quantizeCol2Im(LayerContext &layer) {
  // The sums leave zero points out (spec: integer semantics 4.27).
  if (LinearParams in = layer.input(0); in.zp != 0)
    layer.castInput(0, symmetric(in));
  return quantizeRequant(layer);
}

} // namespace yarrow
