//===- NormRules.h - Rules of single normalizations -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The classes LayerNormRule and ReduceRule have operators of different
// arithmetic; their rules (MeanVariance.cpp, Combine.cpp) call these.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_RULES_NORMRULES_H
#define YARROW_QUANTIZER_RULES_NORMRULES_H

#include "quantizer/rules/LayerContext.h"

namespace yarrow {

bool quantizeNormalization(LayerContext &layer); // L1, L2
bool quantizeLrn(LayerContext &layer);
/// Moments, NormalizedMoments, SufficientStatistics.
bool quantizeMoments(LayerContext &layer);

/// The bits of a signed integer that holds q + zp.
int bitsWithZeroPoint(const LinearParams &params);

/// The key `lut` of layers with an integer inverse square root.
void setInverseSqrtTable(LayerContext &layer);

} // namespace yarrow

#endif // YARROW_QUANTIZER_RULES_NORMRULES_H
