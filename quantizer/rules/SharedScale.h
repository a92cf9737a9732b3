//===- SharedScale.h - Results that have their operand's scale --*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Rules of layers that move or choose values do not change their integers. So
// an operand must have the type and scale of this layer's result.
//
//   if (std::optional<unsigned> from = sharedOperand(op, 0))
//     use(op->getOperand(*from));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_RULES_SHAREDSCALE_H
#define YARROW_QUANTIZER_RULES_SHAREDSCALE_H

#include "quantizer/rules/LayerContext.h"

#include <optional>

namespace yarrow {

/// The operand whose scale and zero point result \p index has, where the rule
/// of \p op says so.
std::optional<unsigned> sharedOperand(mlir::Operation *op, unsigned index);

/// Gives operand 0, which the result of \p layer shares its scale with, the
/// result's range where it does not hold \p value, which the layer puts there
/// too.
void makeRoomFor(LayerContext &layer, double value);

} // namespace yarrow

#endif // YARROW_QUANTIZER_RULES_SHAREDSCALE_H
