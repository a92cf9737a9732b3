//===- Winograd.h - Convolutions in Winograd's form -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A 3x3 convolution becomes F(2,3) along the width or F(2x2,3x3): weights
// transformed in float and then rounded to 8 bits, with a scale per output
// channel and a power of two per tap (quantizer/math/WinogradWeights.h); inputs
// are transformed exactly. Bias, zero point, activation and requantization are
// those of the direct form at the scale of the channel's finest tap.
//
//   if (layer.options.winograd != WinogradTransform::None &&
//       isWinogradCandidate(layer.op))
//     return quantizeWinograd(layer, linear);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_RULES_WINOGRAD_H
#define YARROW_QUANTIZER_RULES_WINOGRAD_H

#include "quantizer/rules/Linear.h"

namespace yarrow {

/// Is \p op a float Convolution whose window both forms compute? Padding, size
/// and number of channels do not matter.
bool isWinogradCandidate(mlir::Operation *op);

/// Makes the Winograd form that the options name of a candidate with 8-bit
/// inputs, outputs and weights. A layer that has other widths, or so many
/// channels that 32-bit sums cannot be proved to hold it, gets the direct form:
/// read with_winograd. False after a diagnostic.
bool quantizeWinograd(LayerContext &layer, const LinearLayer &linear);

} // namespace yarrow

#endif // YARROW_QUANTIZER_RULES_WINOGRAD_H
