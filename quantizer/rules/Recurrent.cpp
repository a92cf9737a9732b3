//===- Recurrent.cpp - Quantizing recurrent layers ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "kernels/activation/UnaryFn.h"
#include "quantizer/math/Lut.h"
#include "quantizer/rules/RecurrentRule.h"

#include <algorithm>
#include <cmath>

using namespace yarrow::compass;
using yarrow::kernels::UnaryFn;

namespace yarrow {

RecurrentRule::RecurrentRule(LayerContext &layer, TableBounds narrow)
    : layer(layer), bits(layer.options.activationBits),
      largest(float(integerMax(bits, true))),
      bounds(bits <= 8 ? narrow : TableBounds{10, 6}) {}

bool RecurrentRule::read(unsigned functionCount) {
  auto w = layer.floats(keys::weights), b = layer.floats(keys::biases);
  if (!w || !b)
    return layer.unsupported("the layer has no float weights and biases");
  auto found = recurrentFunctions(layer.op, functionCount);
  if (failed(found))
    return false;
  functions.assign(found->begin(), found->end());
  threshold = layer.number(keys::threshold);
  weights = std::move(*w), biases = std::move(*b);
  inputs = layer.shapeOf(layer.op->getOperand(0)).back();
  cells = weights.shape[1] - inputs;
  integerWeights.resize(weights.values.size());
  x = layer.input(0);
  return true;
}

LinearParams RecurrentRule::between(llvm::StringRef name,
                                    std::optional<double> bound) const {
  FloatRange r = layer.intermediateRange(name);
  if (bound)
    r = {std::max(r.min, float(-*bound)), std::min(r.max, float(*bound))};
  return symmetric(r);
}

LinearParams RecurrentRule::tableInput(FloatRange r, unsigned which) const {
  double bound = std::numeric_limits<float>::max();
  if (functions[which].fn == UnaryFn::Sigmoid)
    bound = bounds.sigmoid;
  if (functions[which].fn == UnaryFn::Tanh)
    bound = bounds.tanh;
  return symmetric(
      {std::max(r.min, float(-bound)), std::min(r.max, float(bound))});
}

LinearParams RecurrentRule::tableInput(llvm::StringRef name,
                                       unsigned which) const {
  FloatRange r = layer.intermediateRange(name);
  if (threshold)
    r = {std::max(r.min, float(-*threshold)),
         std::min(r.max, float(*threshold))};
  return tableInput(r, which);
}

void RecurrentRule::setTable(TensorKey key, unsigned which,
                             const LinearParams &in, float outScale) {
  LinearParams from = in, to;
  // Indices count from the type's smallest value.
  from.qmin = integerMin(bits, true);
  to.scale = outScale;
  to.qmin = int64_t(-largest), to.qmax = int64_t(largest);
  auto value = [&](double at) {
    if (threshold)
      at = std::clamp(at, -*threshold, *threshold);
    return kernels::unaryValue(functions[which].fn, at, functions[which].args);
  };
  std::vector<int64_t> table = layer.tableOf(value, from, to);
  layer.setTensor(key, {int64_t(table.size())}, integerType(bits, true), table);
}

LinearParams RecurrentRule::stateParams(llvm::StringRef name,
                                        unsigned operand) const {
  FloatRange r = layer.intermediateRange(name);
  if (layer.numInputs() > operand) {
    FloatRange first = layer.inputRange(operand);
    r = {std::min(r.min, first.min), std::max(r.max, first.max)};
  }
  return symmetric(r);
}

void RecurrentRule::alignState(unsigned operand, const LinearParams &to) {
  if (layer.numInputs() <= operand)
    return;
  LinearParams from = layer.input(operand);
  if (from.scale == to.scale && from.zp == 0 && from.bits == to.bits &&
      from.isSigned)
    return;
  layer.castInput(operand, to);
}

int64_t RecurrentRule::bias(size_t entry, float scale,
                            std::optional<int64_t> row) const {
  double b = std::nearbyint(double(biases.values[entry]) * scale);
  int64_t sum = 0;
  for (int64_t c = 0; row && c < inputs; ++c)
    sum += integerWeights[*row * (inputs + cells) + c];
  b += double(x.zp) * double(sum);
  return int64_t(std::clamp(b, -2147483648.0, 2147483647.0));
}

} // namespace yarrow
