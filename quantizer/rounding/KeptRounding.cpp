//===- KeptRounding.cpp - Weights as they were rounded before -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/rounding/KeptRounding.h"

#include "quantizer/calibrate/Calibrate.h"
#include "quantizer/rounding/IntegerWeights.h"
#include "quantizer/rounding/LayerPairs.h"
#include "llvm/ADT/DenseMap.h"

#include <cmath>

using namespace yarrow;

/// Of a step: multipliers have 15 bits, and are rounded anew where an output
/// has another scale.
static constexpr float kSameStep = 1e-3f;

static bool hasSameSteps(const IntegerWeights &a, const IntegerWeights &b) {
  if (a.lowest != b.lowest || a.highest != b.highest ||
      a.steps.size() != b.steps.size() || a.rounded.size() != b.rounded.size())
    return false;
  for (std::size_t o = 0; o < a.steps.size(); ++o)
    if (std::fabs(a.steps[o] - b.steps[o]) > kSameStep * b.steps[o])
      return false;
  return true;
}

void yarrow::keepRounding(const RoundedNetwork &from, mlir::ModuleOp to,
                          const QuantizerOptions &options) {
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> rounded;
  for (LayerPair pair : pairLayers(from.floats, from.integers))
    if (pair.floatOp)
      rounded[pair.floatOp] = pair.intOp;
  for (auto [intOp, floatOp] : pairLayers(from.floats, to)) {
    mlir::Operation *before = floatOp ? rounded.lookup(floatOp) : nullptr;
    if (!before)
      continue;
    auto kept =
        IntegerWeights::of(floatOp, before, optionsOf(floatOp, from.options));
    auto now = IntegerWeights::of(floatOp, intOp, optionsOf(floatOp, options));
    if (!kept || !now || !hasSameSteps(*kept, *now))
      continue;
    now->rounded = kept->rounded;
    now->setBiases(kept->storedBiases());
    now->store();
  }
}
