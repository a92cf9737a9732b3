//===- Detection.cpp - Layers about boxes ---------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/rules/DetectionRules.h"

#include "dialects/compass/detect/BoxKeys.h"

#include <algorithm>
#include <cmath>

using namespace yarrow::compass;

namespace yarrow {

void setWholeNumbers(LayerContext &layer, unsigned index, bool isSigned) {
  layer.setOutput(index, plainIntegers(16, isSigned), /*isInvariant=*/true);
}

/// RNE(threshold * scale - zp) within the integers of \p scores, or one less
/// than they are: no score is below it, all are above.
static int64_t storedThreshold(double threshold, const LinearParams &scores) {
  double stored = std::nearbyint(double(float(threshold) * scores.scale) -
                                 double(scores.zp));
  double least = double(scores.qmin) - 1, most = double(scores.qmax);
  return int64_t(stored > least ? std::min(stored, most) : least);
}

void setStoredThreshold(LayerContext &layer, NumericKey from, NumericKey key,
                        const LinearParams &scores) {
  layer.setInt(key, storedThreshold(layer.number(from).value_or(0), scores));
}

void setScoreThresholdValue(LayerContext &layer, const LinearParams &scores) {
  int64_t stored = storedThreshold(scoreThreshold(layer.op), scores);
  layer.setInt(keys::score_threshold_value, stored);
  bool fits = stored >= integerMin(scores.bits, scores.isSigned);
  StoredType type =
      fits ? integerType(scores.bits, scores.isSigned)
           : *parseType(narrowestType(double(stored), double(scores.qmax)));
  layer.setExtra("score_threshold_type", dtypeName(type));
  layer.remove(keys::score_threshold);
}

LinearParams withoutZeroPoint(LinearParams params) {
  int64_t least = params.qmin + params.zp, most = params.qmax + params.zp;
  params.zp = 0;
  params.isSigned = params.isSigned || least < 0;
  while (params.bits < 32 &&
         (least < integerMin(params.bits, params.isSigned) ||
          most > integerMax(params.bits, params.isSigned)))
    params.bits = params.bits < 16 ? 16 : 32;
  params.qmin = integerMin(params.bits, params.isSigned);
  params.qmax = integerMax(params.bits, params.isSigned);
  return params;
}

bool takes16Bits(LayerContext &layer) {
  for (unsigned i = 0; i < layer.numInputs(); ++i)
    if (!layer.isInvariant(i) && layer.input(i).bits > 16)
      return layer.unsupported("boxes and scores of more than 16 bits have no "
                               "integer form",
                               "", "layer_bottom_type");
  return true;
}

std::vector<double> listOf(const LayerContext &layer, llvm::StringRef key,
                           std::vector<double> fallback) {
  if (auto list = layer.op->getAttrOfType<mlir::DenseF64ArrayAttr>(key))
    return {list.asArrayRef().begin(), list.asArrayRef().end()};
  return fallback;
}

} // namespace yarrow
