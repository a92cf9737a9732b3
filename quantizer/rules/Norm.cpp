//===- Norm.cpp - BatchNorm and BiasAdd -----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/rules/FusedActivation.h"
#include "quantizer/rules/Linear.h"
#include "quantizer/rules/Rules.h"

using namespace yarrow::compass;

namespace yarrow {

/// The bias at the scale of x, with its zero point, as the packs that were
/// corrected by hand have it (docs/operators/eltwise.md, BiasAdd).
bool quantizeBiasAdd(LayerContext &layer) {
  LinearParams in = layer.input(0), out = layer.outputParams(/*isSigned=*/true);
  auto biases = layer.floats(keys::biases);
  if (!biases)
    return layer.unsupported("BiasAdd needs constant biases");
  std::vector<int64_t> quantized;
  for (float bias : biases->values)
    quantized.push_back(quantizeValue(
        bias, in.scale, -in.zp, integerMin(32, true), integerMax(32, true)));
  layer.setTensor(keys::biases, biases->shape, DType::I32, quantized);
  layer.setExtra("biases_scale", floatText(in.scale));
  layer.setExtra("biases_zp", "0");
  unsigned bits = layer.options.multiplierWidth();
  layer.setRequant(layer.approximate(out.scale / in.scale, bits), bits);
  layer.setOutput(0, out);
  return true;
}

bool quantizeBatchNorm(LayerContext &layer) {
  std::string activation = layer.word(keys::with_activation, "NONE");
  LinearLayer linear;
  linear.input = layer.input(0);
  linear.output = layer.outputParams(activationIsSigned(layer, activation));
  // One product per output: 8 bits would show.
  linear.weightBits = layer.options.normWeightBits;
  if (!quantizeLinear(layer, linear) ||
      !quantizeActivationKeys(layer, activation, linear.output))
    return false;
  layer.setOutput(0, linear.output);
  return true;
}

} // namespace yarrow
