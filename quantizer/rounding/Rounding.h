//===- Rounding.h - Methods that round a layer's weights anew ---*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Each takes a layer of which the scales are final, with its inputs in the
// float and in the quantized network, and changes the integers of its weights,
// its biases or both. All of it is seeded by the layer's number, so that the
// same network and samples give the same bytes.
//
//   roundWeights({floatModule, intModule, method, options, arrays, diags});
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_ROUNDING_ROUNDING_H
#define YARROW_QUANTIZER_ROUNDING_ROUNDING_H

#include "quantizer/rounding/WeightedLayers.h"

namespace yarrow {

/// By second moments, weight after weight (math/Feedback.h).
void roundByMoments(WeightedLayer &layer);
/// The biases that make the means of the layer's sums those of the float
/// network, for weights as they are rounded.
void correctBiases(WeightedLayer &layer);
/// By gradients, whether to round up or down (Nagel et al., 2020).
void learnRounding(WeightedLayer &layer);
/// By gradients, changes of integer weights and biases (Hubara et al., 2020).
void learnWeights(WeightedLayer &layer);

/// All weights and biases of a block together (Li et al., 2021). False as
/// roundWeights.
bool reconstructBlocks(const JointTask &task);

/// Lets the task's method round the weights of the integer network, layer after
/// layer. False after errors, and without one, and a change, if there is no
/// layer for it.
bool roundWeights(const JointTask &task);

} // namespace yarrow

#endif // YARROW_QUANTIZER_ROUNDING_ROUNDING_H
