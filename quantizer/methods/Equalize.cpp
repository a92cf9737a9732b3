//===- Equalize.cpp - Channels of one size across layers ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Cross-layer equalization (Nagel et al., "Data-free quantization", 2019):
// channel c of a layer's weights is divided by a factor, and the next layer's
// weights for that channel are multiplied with it. A rectifier between them
// changes nothing, because factors are positive. With
// s_c = sqrt(r1_c * r2_c) / r2_c both have the same largest weight in c.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Compass.h"
#include "dialects/compass/Layers.h"
#include "quantizer/channels/ChannelClasses.h"
#include "quantizer/channels/ChannelWeights.h"
#include "quantizer/methods/ApplyMethods.h"

#include <algorithm>
#include <cmath>

using namespace yarrow;
using namespace yarrow::compass;

namespace {

struct LayerPair {
  std::size_t first, second; ///< of the layers
};

class Equalization {
public:
  explicit Equalization(const MethodInput &input) : input(input) {}

  bool run() {
    collect();
    auto rounds = std::size_t(std::max(1.0, input.method.value("rounds")));
    for (std::size_t i = 0; i < rounds; ++i) {
      float change = 0;
      for (const LayerPair &pair : pairs)
        change = std::max(change, equalize(pair));
      if (change < kEqual)
        break;
    }
    if (!pairs.empty())
      for (const ChannelWeights &layer : layers)
        layer.store();
    return !pairs.empty();
  }

private:
  /// Factors nearer to 1 change nothing.
  static constexpr float kEqual = 1e-3f;
  /// Channels of the pair may differ by so much without being dead.
  static constexpr float kMostFactor = 1e4f;

  void collect() {
    llvm::DenseMap<mlir::Operation *, std::size_t> numbers;
    mlir::ModuleOp(input.network).walk([&](mlir::Operation *op) {
      if (auto weights = ChannelWeights::of(op)) {
        numbers[op] = layers.size();
        layers.push_back(std::move(*weights));
      }
    });
    for (std::size_t i = 0; i < layers.size(); ++i) {
      mlir::Operation *op = layers[i].op;
      if (!isHomogeneous(op) || !op->getResult(0).hasOneUse() ||
          !input.method.appliesTo(op))
        continue;
      mlir::Operation *next = *op->getResult(0).user_begin();
      auto it = numbers.find(next);
      if (it != numbers.end() && next->getOperand(0) == op->getResult(0) &&
          layers[it->second].inputs() == layers[i].outputs())
        pairs.push_back({i, it->second});
    }
  }

  /// How far the largest factor is from 1.
  float equalize(const LayerPair &pair) {
    ChannelWeights &a = layers[pair.first], &b = layers[pair.second];
    float change = 0;
    for (std::size_t c = 0; c < a.outputs(); ++c) {
      float first = a.largestOfOutput(c), second = b.largestOfInput(c);
      if (!(first > 0) || !(second > 0))
        continue;
      float s = std::sqrt(first * second) / second;
      s = std::clamp(s, 1 / kMostFactor, kMostFactor);
      a.scaleOutput(c, 1 / s);
      b.scaleInput(c, s);
      change = std::max(change, std::fabs(s - 1));
    }
    return change;
  }

  const MethodInput &input;
  std::vector<ChannelWeights> layers;
  std::vector<LayerPair> pairs;
};

} // namespace

bool yarrow::equalizeLayers(const MethodInput &input) {
  return Equalization(input).run();
}
