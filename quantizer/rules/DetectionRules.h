//===- DetectionRules.h - Rules of layers about boxes -----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Spec: integer semantics 4.29.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_RULES_DETECTIONRULES_H
#define YARROW_QUANTIZER_RULES_DETECTIONRULES_H

#include "quantizer/rules/LayerContext.h"

namespace yarrow {

bool quantizeNms(LayerContext &layer);

/// Result \p index holds whole numbers of 16 bits: counts, labels, indices.
void setWholeNumbers(LayerContext &layer, unsigned index,
                     bool isSigned = false);
/// \p key becomes RNE(threshold * scale - zp) with the threshold that \p from
/// holds, limited to the integers of \p scores; below all of them for
/// -infinity.
void setStoredThreshold(LayerContext &layer, llvm::StringRef from,
                        llvm::StringRef key, const LinearParams &scores);
/// The same scale without a zero point, in a type that holds every q + zp.
LinearParams withoutZeroPoint(LinearParams params);
/// False after a diagnostic if an input has more than 16 bits.
bool takes16Bits(LayerContext &layer);

} // namespace yarrow

#endif // YARROW_QUANTIZER_RULES_DETECTIONRULES_H
