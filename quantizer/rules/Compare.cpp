//===- Compare.cpp - Truth values and stored integers ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/eltwise/BinaryFunction.h"
#include "quantizer/rules/Rules.h"

#include <algorithm>

using namespace yarrow::compass;

namespace yarrow {

/// Multipliers with which both inputs have one scale, as exact as 15 bits allow
/// (docs/operators/logic.md). The reference forms them in float32.
static std::vector<int64_t> comparedScales(const LayerContext &layer) {
  if (layer.isInvariant(0) && layer.isInvariant(1))
    return {1, 1};
  float a = layer.input(0).scale, b = layer.input(1).scale;
  float most = std::max(a, b), ratio = most / std::min(a, b);
  constexpr float kMost = 32767;
  float unit = std::min(kMost, std::min(ratio * 8192, kMost) / ratio);
  auto multiplier = [&](float scale) {
    return std::max<int64_t>(int64_t(most / scale * unit), 1);
  };
  return {multiplier(a), multiplier(b)};
}

/// AND, OR, XOR and NOT ask for stored integers that are 0, which they are
/// where the real value is only without a zero point.
static void takeZeroPoints(LayerContext &layer) {
  for (unsigned i = 0; i < layer.numInputs(); ++i) {
    LinearParams in = layer.input(i);
    if (in.zp == 0)
      continue;
    // Signed, one bit wider if the values are beyond: every x + zp fits.
    LinearParams without = in;
    without.zp = 0;
    without.isSigned = true;
    without.bits = std::max(16u, in.bits);
    without.qmin = integerMin(without.bits, true);
    without.qmax = integerMax(without.bits, true);
    layer.castInput(i, without);
  }
}

static bool setTruthValues(LayerContext &layer) {
  layer.setOutput(0, LinearParams{1, 0, 8, false, 0, 255},
                  /*isInvariant=*/true);
  return true;
}

bool quantizeTruth(LayerContext &layer) { return setTruthValues(layer); }

bool quantizeLogical(LayerContext &layer) {
  auto binary = llvm::cast<BinaryFunction>(layer.op);
  bool isStored =
      formOf(binary.binaryFunction()) == kernels::BinaryForm::Stored;
  if (isStored || layer.numInputs() == 1) { // NOT has one
    takeZeroPoints(layer);
  } else {
    layer.setInts(keys::scale_value, comparedScales(layer));
    layer.setExtra("scale_type", "[uint16,uint16]");
  }
  return setTruthValues(layer);
}

static void setStored(LayerContext &layer, const LinearParams &type) {
  for (unsigned i = 0; i < layer.op->getNumResults(); ++i)
    layer.setOutput(i, type, /*isInvariant=*/true);
}

bool quantizeStored(LayerContext &layer) {
  LinearParams type = layer.input(0);
  if (layer.numInputs() == 2) {
    // A constant may have been given a narrower type.
    LinearParams b = layer.input(1);
    unsigned narrower = type.bits < b.bits ? 0 : 1;
    bool isSameType = type.bits == b.bits && type.isSigned == b.isSigned;
    type = narrower == 0 ? b : type;
    if (!isSameType)
      layer.castInput(narrower, type);
  }
  setStored(layer, type);
  return true;
}

bool quantizeBitShift(LayerContext &layer) {
  setStored(layer, layer.input(0));
  return true;
}

} // namespace yarrow
