//===- StatisticRules.h - Products, running sums, counts --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Rules of single operators, which those of their classes (Rules.h) call. False
// after a diagnostic.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_RULES_STATISTICRULES_H
#define YARROW_QUANTIZER_RULES_STATISTICRULES_H

#include "quantizer/rules/LayerContext.h"

namespace yarrow {

bool quantizeReduceProduct(LayerContext &layer); // Reduce PROD
bool quantizeReduceRoot(LayerContext &layer);    // Reduce L2
bool quantizeCumulate(LayerContext &layer);
bool quantizeCount(LayerContext &layer);
bool quantizeZeroFraction(LayerContext &layer);

} // namespace yarrow

#endif // YARROW_QUANTIZER_RULES_STATISTICRULES_H
