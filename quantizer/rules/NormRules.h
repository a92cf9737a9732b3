//===- NormRules.h - What rules of norms and sums share ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_RULES_NORMRULES_H
#define YARROW_QUANTIZER_RULES_NORMRULES_H

#include "quantizer/rules/LayerContext.h"

namespace yarrow {

/// The bits of a signed integer that holds q + zp.
int bitsWithZeroPoint(const LinearParams &params);

/// The key `lut` of layers with an integer inverse square root.
void setInverseSqrtTable(LayerContext &layer);

} // namespace yarrow

#endif // YARROW_QUANTIZER_RULES_NORMRULES_H
