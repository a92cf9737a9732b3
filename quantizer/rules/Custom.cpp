//===- Custom.cpp - Layers of plugins -------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Records.h"
#include "dialects/compass/custom/PluginOperator.h"
#include "quantizer/math/Lut.h"
#include "quantizer/rules/Rules.h"

#include <functional>

using namespace yarrow::compass;

namespace yarrow {

/// The float kernel of a layer with one input, as a function of one value.
static std::function<double(double)> functionOf(LayerContext &layer,
                                                const PluginOperator &plugin) {
  TensorInfo one; // of float32
  one.shape = {1};
  std::vector<char> params = customParams(plugin, layer.op, {one}, {one});
  return [params, fn = plugin.floatKernel->fn](double value) {
    float x = float(value), y = 0;
    void *buffers[] = {&x, &y};
    fn(params.data(), buffers, /*task=*/0, /*taskCount=*/1);
    return double(y);
  };
}

bool quantizeCustomTable(LayerContext &layer) {
  const PluginOperator &plugin = *recordOf(layer.op)->plugin;
  LinearParams out = layer.outputParams(plugin.isSigned);
  std::vector<int64_t> table =
      buildLut(functionOf(layer, plugin), layer.input(0), out,
               layer.options.lutItemsInBits);
  layer.setTensor(keys::lut, {int64_t(table.size())},
                  integerType(out.bits, out.isSigned), table);
  layer.setOutput(0, out);
  return true;
}

bool quantizeCustomRequant(LayerContext &layer) {
  const PluginOperator &plugin = *recordOf(layer.op)->plugin;
  LinearParams out = layer.outputParams(plugin.isSigned);
  unsigned bits = layer.options.multiplierWidth();
  std::vector<ScaleApproximation> multipliers;
  float product = 1;
  for (unsigned i = 0; i < layer.numInputs(); ++i) {
    product *= layer.input(i).scale;
    if (plugin.quantization == PluginQuantization::MultiplierEach)
      multipliers.push_back(
          layer.approximate(out.scale / layer.input(i).scale, bits));
  }
  if (multipliers.empty())
    multipliers.push_back(layer.approximate(out.scale / product, bits));
  if (multipliers.size() == 1)
    layer.setRequant(multipliers.front(), bits);
  else
    layer.setRequants(multipliers, bits);
  layer.setOutput(0, out);
  return true;
}

} // namespace yarrow
