//===- StatisticRules.h - Methods of Reduce ---------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Of single methods, which the rule of Reduce calls. False after a diagnostic.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_RULES_STATISTICRULES_H
#define YARROW_QUANTIZER_RULES_STATISTICRULES_H

#include "quantizer/rules/LayerContext.h"

namespace yarrow {

bool quantizeReduceProduct(LayerContext &layer); // Reduce PROD
bool quantizeReduceRoot(LayerContext &layer);    // Reduce L2

} // namespace yarrow

#endif // YARROW_QUANTIZER_RULES_STATISTICRULES_H
