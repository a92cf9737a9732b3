//===- PassRules.cpp - Layers that keep their input's scale ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Data movement, resizing, sign changes: the integers keep their
// meaning or nearly so.
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/Layers.h"
#include "dialects/compass/Records.h"
#include "quantizer/rules/Rules.h"
#include "quantizer/rules/SharedScale.h"

#include <algorithm>
#include <cmath>

using namespace yarrow::compass;

namespace yarrow {

/// The operand that result \p index of a layer of PassRule shares; nullopt of
/// indices.
static std::optional<unsigned> passedOperand(mlir::Operation *op,
                                             unsigned index) {
  const auto &records = recordOf(op)->outputs;
  if (index < records.size() && records[index].type == TensorClass::Integer)
    return std::nullopt;
  // As many results as operands belong to them, each to its own.
  return op->getNumResults() == op->getNumOperands() ? index : 0;
}

bool quantizePass(LayerContext &layer) {
  for (unsigned i = 0; i < layer.op->getNumResults(); ++i)
    if (auto from = passedOperand(layer.op, i))
      layer.shareWithInput(i, *from);
    else
      quantizeIndexResult(layer, i);
  return true;
}

std::optional<unsigned> sharedOperand(mlir::Operation *op, unsigned index) {
  const OperatorRecord *record = recordOf(op);
  if (!record || op->getNumOperands() == 0)
    return std::nullopt;
  auto isMethod = [&](std::initializer_list<llvm::StringRef> methods) {
    return llvm::is_contained(methods, wordKey(op, keys::method));
  };
  switch (record->rule) {
  case RuleClass::PassRule:
    return passedOperand(op, index);
  case RuleClass::PadRule:
  case RuleClass::ResizeRule:
    return 0;
  case RuleClass::PoolRule:
    if (index != 0 || isMethod({"L1", "L2"}))
      return std::nullopt;
    return 0;
  case RuleClass::FractionalPoolRule:
  case RuleClass::MaxRoiPoolRule:
    return index == 0 ? std::optional(0u) : std::nullopt;
  case RuleClass::ReduceRule:
    return isMethod({"MIN", "MAX"}) ? std::optional(0u) : std::nullopt;
  default:
    return std::nullopt;
  }
}

/// Slices that are moved, and how many in the last result.
bool quantizeFilter(LayerContext &layer) {
  quantizePass(layer);
  quantizeIndexResult(layer, layer.op->getNumResults() - 1);
  return true;
}

void makeRoomFor(LayerContext &layer, double value) {
  LinearParams in = layer.input(0);
  double step = 1 / double(in.scale);
  double least = double(in.qmin + in.zp) * step,
         most = double(in.qmax + in.zp) * step;
  if (value >= least - step / 2 && value <= most + step / 2)
    return;
  // An infinity, and a number beside which the others would lose all but four
  // bits, stand for the least or the greatest number there is.
  if (std::fabs(value) >
      std::max(-least, most) * std::ldexp(1, int(in.bits) - 4))
    return;
  if (layer.isInvariant(0)) {
    llvm::StringRef type = narrowestType(std::min(value, double(in.qmin)),
                                         std::max(value, double(in.qmax)));
    layer.castInvariant(0, invariantParams(*parseType(type)));
    return;
  }
  layer.castInput(0, layer.outputParams(in.isSigned || value < 0));
}

bool quantizePad(LayerContext &layer) {
  // The border holds the stored integer.
  auto value = float(layer.number(keys::constant_value).value_or(0));
  if (layer.word(keys::mode, "CONSTANT") == "CONSTANT")
    makeRoomFor(layer, value);
  mlir::Builder b(layer.op->getContext());
  layer.op->setAttr(
      keys::constant_value,
      b.getF64FloatAttr(double(quantizeValue(value, layer.input(0)))));
  layer.shareWithInput();
  return true;
}

bool quantizeResize(LayerContext &layer) {
  if (layer.options.resizeToNearest)
    layer.setWord(keys::method, "NEAREST");
  bool isBilinear = layer.word(keys::method, "BILINEAR") == "BILINEAR";
  layer.setInt(keys::interp_shift_value, isBilinear ? 13 : 0);
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
  // The sums of the kernel leave zero points out, as the reference's do.
  if (LinearParams in = layer.input(0); in.zp != 0)
    layer.castInput(0, symmetric(in));
  return quantizeRequant(layer);
}

} // namespace yarrow
