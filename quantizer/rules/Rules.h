//===- Rules.h - One function per quantization rule -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Each makes a layer whose record names its rule (dialects/compass/Rules.td) an
// integer layer. False after a diagnostic.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_RULES_RULES_H
#define YARROW_QUANTIZER_RULES_RULES_H

#include "quantizer/rules/LayerContext.h"

namespace yarrow {

// quantizeConcat of ConcatRule.
#define RULE(NAME, FUNCTION) bool FUNCTION(LayerContext &layer);
#include "dialects/compass/RuleClasses.inc"

/// Result \p index holds indices into the first operand, or counts of it.
void quantizeIndexResult(LayerContext &layer, unsigned index);

/// What a sub-graph gives becomes what its callers share. Of its return.
void quantizeGraphOutputs(LayerContext &terminator);

/// By the op's record.
bool quantizeByRule(LayerContext &layer);

} // namespace yarrow

#endif // YARROW_QUANTIZER_RULES_RULES_H
