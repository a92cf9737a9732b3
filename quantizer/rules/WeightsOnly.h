//===- WeightsOnly.h - Integer weights for layers of floats -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// trigger_float_op = float16_act_int_wht! and the like: the layer computes in
// floats, its weights are stored as integers of weight_bits with a scale for
// all of them, for each filter or for each block
// (dialects/compass/WeightsOnly.h has how they are read).
//
//   if (isWeightsOnly(layer) && !quantizeWeightsOnly(layer))
//     return false;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_RULES_WEIGHTSONLY_H
#define YARROW_QUANTIZER_RULES_WEIGHTSONLY_H

#include "quantizer/rules/LayerContext.h"

namespace yarrow {

/// Whether the options ask for it, and the layer multiplies by weights.
bool isWeightsOnly(const LayerContext &layer);

/// Sets weights, weights_scale, weights_zp and weight_block_size. False after a
/// diagnostic.
bool quantizeWeightsOnly(LayerContext &layer);

} // namespace yarrow

#endif // YARROW_QUANTIZER_RULES_WEIGHTSONLY_H
