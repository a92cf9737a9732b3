//===- DetectionRules.h - What rules about boxes share ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// docs/operators/detect.md and docs/operators/select.md have the integer forms.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_RULES_DETECTIONRULES_H
#define YARROW_QUANTIZER_RULES_DETECTIONRULES_H

#include "quantizer/rules/LayerContext.h"

#include <functional>
#include <string>
#include <vector>

namespace yarrow {

/// Result \p index holds whole numbers of 16 bits: counts, labels, indices.
void setWholeNumbers(LayerContext &layer, unsigned index,
                     bool isSigned = false);
/// \p key becomes RNE(threshold * scale - zp) with the threshold that \p from
/// holds, limited to the integers of \p scores; below all of them for
/// -infinity.
void setStoredThreshold(LayerContext &layer, compass::NumericKey from,
                        compass::NumericKey key, const LinearParams &scores);
/// The layer's threshold of scores as score_threshold_value, with a type that
/// holds it.
void setScoreThresholdValue(LayerContext &layer, const LinearParams &scores);
/// The same scale without a zero point, in a type that holds every q + zp.
LinearParams withoutZeroPoint(LinearParams params);
/// False after a diagnostic if an input has more than 16 bits.
bool takes16Bits(LayerContext &layer);

/// What a tensor can hold.
double leastValue(const LinearParams &p);
double mostValue(const LinearParams &p);
double mostMagnitude(const LinearParams &p);
LinearParams int16At(double scale);
std::vector<double> listOf(const LayerContext &layer, llvm::StringRef key,
                           std::vector<double> fallback);

/// scale_value, shift_value and their types under other names.
void setScaleLists(LayerContext &layer, compass::IntsKey scaleKey,
                   compass::IntsKey shiftKey,
                   llvm::ArrayRef<ScaleApproximation> requants);
/// f over \p input at a scale, int16.
void setInt16Table(LayerContext &layer, compass::TensorKey key,
                   const LinearParams &input, double scale,
                   const std::function<double(double)> &f);
/// ty_lut, tx_lut, th_lut and tw_lut; logarithms of sizes limited to mostLog.
void setDeltaTables(LayerContext &layer, const LinearParams &deltas,
                    double centreScale, double sizeScale,
                    const std::vector<double> &divisors, double mostLog);

/// Powers of two at which boxes and the entries of tables fit int16.
struct FixedPoint {
  int boxBits, entryBits;
};
/// For an image of \p size, and the layer's anchors.
FixedPoint fixedPoint(const LayerContext &layer, double size,
                      const LinearParams &deltas,
                      const std::vector<double> &divisors);
/// ycenter, xcenter, ha and wa in int16.
void setAnchors(LayerContext &layer, int bits);

} // namespace yarrow

#endif // YARROW_QUANTIZER_RULES_DETECTIONRULES_H
