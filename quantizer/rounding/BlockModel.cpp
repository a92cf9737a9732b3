//===- BlockModel.cpp - A block of a network that can learn ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/rounding/BlockModel.h"

#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/conv/ConvOps.h"
#include "dialects/compass/eltwise/EltwiseOps.h"
#include "support/LinearValue.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace yarrow;
using namespace yarrow::compass;

void BlockModel::Values::clear() {
  for (auto *lists : {&weights, &biases})
    for (std::vector<float> &list : *lists)
      std::fill(list.begin(), list.end(), 0.0f);
}

void BlockModel::Values::add(const Values &other) {
  auto addAll = [](std::vector<std::vector<float>> &to,
                   const std::vector<std::vector<float>> &from) {
    for (std::size_t m = 0; m < to.size(); ++m)
      for (std::size_t i = 0; i < to[m].size(); ++i)
        to[m][i] += from[m][i];
  };
  addAll(weights, other.weights);
  addAll(biases, other.biases);
}

static bool isSum(mlir::Operation *op) {
  return mlir::isa<AddOp>(op) ||
         (mlir::isa<EltwiseOp>(op) && wordKey(op, keys::method, "") == "ADD");
}

/// The ends of with_activation; nullopt for others than rectifiers.
static std::optional<std::pair<float, float>>
activationOf(mlir::Operation *op) {
  constexpr float kAll = std::numeric_limits<float>::infinity();
  std::string activation = wordKey(op, keys::with_activation, "NONE");
  if (activation == "NONE")
    return std::pair(-kAll, kAll);
  if (activation == "RELU")
    return std::pair(0.0f, kAll);
  if (activation == "RELU6")
    return std::pair(0.0f, 6.0f);
  return std::nullopt;
}

bool BlockModel::addNode(const LayerPair &layer,
                         const QuantizerOptions &options,
                         llvm::DenseMap<mlir::Value, std::size_t> &tensors) {
  mlir::Operation *op = layer.intOp;
  auto activation = activationOf(op);
  if (!layer.floatOp || op->getNumResults() != 1 || !activation)
    return false;
  Node node;
  std::tie(node.lowest, node.highest) = *activation;
  node.out = describe(op->getResult(0));
  for (mlir::Value v : op->getOperands()) {
    auto it = tensors.find(v);
    if (it == tensors.end())
      return false;
    node.operands.push_back(it->second);
  }
  if (isSum(op)) {
    for (mlir::Value v : op->getOperands())
      if (describe(v).shape != node.out.shape)
        return false;
    if (node.operands.size() != 2 || !node.out.isQuantized())
      return false;
  } else {
    auto weights = IntegerWeights::of(layer.floatOp, op,
                                      optionsOf(layer.floatOp, options));
    if (!weights || macs.size() == kMostMacs)
      return false;
    node.mac = macs.size();
    macs.push_back({layer.floatOp, Im2col(layer.floatOp), std::move(*weights)});
  }
  tensors[op->getResult(0)] = nodes.size() + 1;
  nodes.push_back(std::move(node));
  return true;
}

std::optional<BlockModel> BlockModel::create(const Block &block,
                                             const QuantizerOptions &options) {
  BlockModel model;
  llvm::DenseMap<mlir::Value, std::size_t> tensors;
  tensors[block.input] = 0;
  for (const LayerPair &layer : block.layers)
    if (!model.addNode(layer, options, tensors))
      return std::nullopt;
  auto output = tensors.find(block.output);
  if (model.macs.empty() || output == tensors.end())
    return std::nullopt;
  model.output = output->second;
  return model;
}

BlockModel::Values BlockModel::values() const {
  Values values;
  for (const Node &node : nodes) {
    if (!node.mac)
      continue;
    const IntegerWeights &w = macs[*node.mac].weights;
    std::vector<float> &weights = values.weights.emplace_back();
    for (std::size_t i = 0; i < w.weights.size(); ++i) {
      auto now = float(w.rounded[i]);
      weights.push_back(std::clamp(w.weights[i] / w.steps[i / w.terms],
                                   now - 0.49f, now + 0.49f));
    }
    std::vector<float> &biases = values.biases.emplace_back();
    for (float bias : w.storedBiases())
      biases.push_back(bias * node.out.scale);
  }
  return values;
}

BlockModel::Values BlockModel::rounded(const Values &values) const {
  Values result = values;
  for (std::size_t m = 0; m < macs.size(); ++m)
    for (float &x : result.weights[m])
      x = std::clamp(std::nearbyint(x), float(macs[m].weights.lowest),
                     float(macs[m].weights.highest));
  return result;
}

void BlockModel::store(const Values &rounded) {
  for (const Node &node : nodes) {
    if (!node.mac)
      continue;
    IntegerWeights &w = macs[*node.mac].weights;
    const std::vector<float> &weights = rounded.weights[*node.mac];
    w.rounded.assign(weights.begin(), weights.end());
    w.setBiases(realBiases(node, rounded.biases[*node.mac]));
    w.store();
  }
}

std::vector<float>
BlockModel::realWeights(const Mac &mac, std::span<const float> inSteps) const {
  std::vector<float> real(inSteps.size());
  for (std::size_t i = 0; i < real.size(); ++i)
    real[i] = inSteps[i] * mac.weights.steps[i / mac.weights.terms];
  return real;
}

std::vector<float> BlockModel::realBiases(const Node &node,
                                          std::span<const float> biases) const {
  std::vector<float> real(biases.begin(), biases.end());
  for (float &bias : real)
    bias /= node.out.scale;
  return real;
}

std::vector<float> BlockModel::sums(const Node &node, const Tensors &tensors,
                                    std::span<const float> weights,
                                    std::span<const float> biases) const {
  const std::vector<float> &x = tensors[node.operands[0]];
  std::vector<float> y(std::size_t(node.out.numElements()));
  if (node.mac) {
    macForward(macs[*node.mac].map, x, weights, biases, y);
    return y;
  }
  const std::vector<float> &other = tensors[node.operands[1]];
  for (std::size_t i = 0; i < y.size(); ++i)
    y[i] = x[i] + other[i];
  return y;
}

std::vector<float> BlockModel::floatOutput(std::span<const float> x) const {
  Tensors tensors(nodes.size() + 1);
  tensors[0].assign(x.begin(), x.end());
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const Node &node = nodes[n];
    std::span<const float> weights, biases;
    if (node.mac) {
      weights = macs[*node.mac].weights.weights;
      biases = macs[*node.mac].weights.biases;
    }
    tensors[n + 1] = sums(node, tensors, weights, biases);
    for (float &y : tensors[n + 1])
      y = std::clamp(y, node.lowest, node.highest);
  }
  return std::move(tensors[output]);
}

BlockModel::Tensors
BlockModel::integerTensors(const Values &values, std::span<const float> x,
                           std::vector<std::vector<char>> *isFree) const {
  Tensors tensors(nodes.size() + 1);
  tensors[0].assign(x.begin(), x.end());
  if (isFree)
    isFree->resize(tensors.size());
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const Node &node = nodes[n];
    std::vector<float> weights, biases;
    if (node.mac) {
      weights = realWeights(macs[*node.mac], values.weights[*node.mac]);
      biases = realBiases(node, values.biases[*node.mac]);
    }
    std::vector<float> &y = tensors[n + 1];
    y = sums(node, tensors, weights, biases);
    const TensorInfo &out = node.out;
    float lowest =
        std::max(node.lowest, dequantizeValue(out.lo, out.scale, out.zp));
    float highest =
        std::min(node.highest, dequantizeValue(out.hi, out.scale, out.zp));
    if (isFree) {
      std::vector<char> &free = (*isFree)[n + 1];
      free.resize(y.size());
      for (std::size_t i = 0; i < y.size(); ++i)
        free[i] = y[i] > lowest && y[i] < highest;
    }
    for (float &value : y)
      value = std::clamp(std::nearbyint(value * out.scale) / out.scale, lowest,
                         highest);
  }
  return tensors;
}

double BlockModel::error(const Values &values, std::span<const float> x,
                         std::span<const float> target) const {
  Tensors tensors = integerTensors(values, x, nullptr);
  double sum = 0;
  for (std::size_t i = 0; i < target.size(); ++i) {
    double e = double(tensors[output][i]) - target[i];
    sum += e * e;
  }
  return sum;
}

void BlockModel::addSlopes(const Values &values, std::span<const float> x,
                           std::span<const float> target,
                           Values &slopes) const {
  std::vector<std::vector<char>> isFree;
  Tensors tensors = integerTensors(values, x, &isFree);
  Tensors by(tensors.size());
  for (std::size_t t = 1; t < tensors.size(); ++t)
    by[t].resize(tensors[t].size());
  for (std::size_t i = 0; i < target.size(); ++i)
    by[output][i] = tensors[output][i] - target[i];
  for (std::size_t n = nodes.size(); n-- > 0;) {
    const Node &node = nodes[n];
    std::vector<float> &byY = by[n + 1];
    for (std::size_t i = 0; i < byY.size(); ++i)
      if (!isFree[n + 1][i])
        byY[i] = 0;
    if (!node.mac) {
      for (std::size_t operand : node.operands)
        for (std::size_t i = 0; i < by[operand].size(); ++i)
          by[operand][i] += byY[i];
      continue;
    }
    const Mac &mac = macs[*node.mac];
    std::vector<float> weights = realWeights(mac, values.weights[*node.mac]);
    std::vector<float> byWeights(weights.size()), byBiases(mac.weights.outputs);
    macBackward(mac.map, tensors[node.operands[0]], weights, byY,
                {by[node.operands[0]], byWeights, byBiases});
    std::vector<float> &toWeights = slopes.weights[*node.mac];
    std::vector<float> &toBiases = slopes.biases[*node.mac];
    for (std::size_t i = 0; i < byWeights.size(); ++i)
      toWeights[i] += byWeights[i] * mac.weights.steps[i / mac.weights.terms];
    for (std::size_t o = 0; o < byBiases.size(); ++o)
      toBiases[o] += byBiases[o] / node.out.scale;
  }
}
