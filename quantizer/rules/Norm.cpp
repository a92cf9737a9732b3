//===- Norm.cpp - BatchNorm -----------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/rules/FusedActivation.h"
#include "quantizer/rules/Linear.h"
#include "quantizer/rules/Rules.h"

using namespace yarrow::compass;

namespace yarrow {

bool quantizeBatchNorm(LayerContext &layer) {
  std::string activation = layer.word("with_activation", "NONE");
  LinearLayer linear;
  linear.input = layer.input(0);
  linear.output = layer.outputParams(activationIsSigned(layer, activation));
  linear.weightBits = 16; // one product per output: 8 bits would show
  if (!quantizeLinear(layer, linear) ||
      !quantizeActivationKeys(layer, activation, linear.output))
    return false;
  layer.setOutput(0, linear.output);
  return true;
}

} // namespace yarrow
