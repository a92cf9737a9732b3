//===- FusedActivation.h - with_activation in integers --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The keys of a fused or stand-alone RELU, RELU6, CLIP, LEAKYRELU or PRELU
// (docs/operators/activation.md, Activation). RELU6 needs no bound: the
// output's range ends at 6 and saturates.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_RULES_FUSEDACTIVATION_H
#define YARROW_QUANTIZER_RULES_FUSEDACTIVATION_H

#include "quantizer/rules/LayerContext.h"

namespace yarrow {

/// Whether the result of \p activation has negative values.
bool activationIsSigned(const LayerContext &layer,
                        const std::string &activation);
/// Turns clip_min, clip_max and negative_slope into integers for \p out.
bool quantizeActivationKeys(LayerContext &layer, const std::string &activation,
                            const LinearParams &out);

} // namespace yarrow

#endif // YARROW_QUANTIZER_RULES_FUSEDACTIVATION_H
