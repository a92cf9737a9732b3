//===- BalanceChannels.cpp - Channels that fill their tensor's range ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A tensor has one step for all its channels, the largest of which says how
// wide it is: 8 bits of a channel that is a sixteenth of it are 4 bits. Such a
// channel is made larger by a factor s, the weights that make it take s, and
// those that read it 1 / s. Weights of outputs have steps of their own and do
// not mind, nor do those of depthwise layers. Others read channels of all sizes
// by one step, which is coarse for those that became small. With an error of
// variance N in the channel, of mean square E, that weights of squares W read
// with steps d, the noise behind is
//
//   N W / s^2 + s^2 E sum(d^2 / 12), least at s^4 = N W / (E sum(d^2 / 12)).
//
// (Cross-layer equalization, Nagel et al., 2019, weighs weights alone;
// SmoothQuant, Xiao et al., 2022, the largest values.)
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/ChannelFactors.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Records.h"
#include "quantizer/calibrate/SampleGroups.h"
#include "quantizer/calibrate/TensorValues.h"
#include "quantizer/channels/ChannelClasses.h"
#include "quantizer/channels/ChannelStatistics.h"
#include "quantizer/channels/ChannelWeights.h"
#include "quantizer/methods/ApplyMethods.h"
#include "quantizer/metrics/SampledNetwork.h"
#include "support/ThreadPool.h"
#include "llvm/ADT/MapVector.h"

#include <algorithm>
#include <cmath>

using namespace yarrow;
using namespace yarrow::compass;

/// What a channel may be enlarged by, for each sample that is not a copy of
/// another: what is small in few samples can be large in the next one, and
/// would be cut off. A U-Net of 4 pictures has 22.5 dB on three others with 64,
/// 27.3 with 16 and 33.0 with 8. With 12 pictures 16 and 64 differ by 3 dB in
/// one of seven networks, and by less than 1 dB in the others.
static constexpr double kMostOfOneSample = 2;

namespace {

class Balance {
public:
  Balance(const MethodInput &input, ChannelClasses::Bounds bounds)
      : input(input), classes(input.network, input.method.where, bounds) {}

  bool hasBounds() const { return !classes.bounded().empty(); }
  bool run() {
    if (classes.count() <= 1 || !observe())
      return false;
    collect();
    // Steps become finer from round to round, and leave room for more.
    constexpr unsigned kRounds = 8;
    factors.assign(classes.count(), 1);
    for (unsigned round = 0; round < kRounds; ++round)
      chooseFactors();
    return apply();
  }

private:
  /// A layer with weights, and the classes of what it reads and makes.
  struct Layer {
    ChannelWeights weights;
    std::vector<unsigned> inputs, outputs;
    double signal = 0; ///< Mean squares of the result's channels, together.
    unsigned weightBits = 8;
    bool isNorm = false; ///< Whose weights know nothing of what it reads.
  };

  bool observe() {
    constexpr std::size_t kSamples = 32;
    SampledNetwork network;
    if (!network.create(input.network, input.samples, input.diags))
      return false;
    std::size_t count = std::min(kSamples, network.samples->count());
    std::vector<llvm::MapVector<mlir::Value, ChannelStatistics>> own(count);
    parallelFor(count, [&](std::size_t i) {
      std::vector<TensorBytes> outputs;
      network.run(network.samples->spread(i, count), outputs,
                  [&](mlir::Value v, TensorBytesRef bytes) {
                    if (classes.tensors().contains(v))
                      own[i][v].add(FloatValues(v, bytes).get(),
                                    std::size_t(shapeOf(v).back()));
                  });
    });
    for (const auto &sample : own)
      for (const auto &[v, seen] : sample)
        statistics[v].add(seen);
    std::size_t different = countGroups(
        groupSamples(network.evaluator->inputs(), *network.samples, count));
    most = std::min(input.method.value("most"),
                    kMostOfOneSample * double(different));
    return true;
  }

  void collect() {
    mlir::ModuleOp(input.network).walk([&](mlir::Operation *op) {
      auto weights = ChannelWeights::of(op);
      bool isNorm = !weights;
      if (isNorm)
        weights = ChannelWeights::ofNorm(op);
      if (!weights)
        return;
      Layer layer{std::move(*weights), classes.of(op->getOperand(0)),
                  classes.of(op->getResult(0))};
      layer.signal = statistics[op->getResult(0)].sumOfMeanSquares();
      layer.weightBits = optionsOf(op, input.options).weightBits;
      layer.isNorm = isNorm;
      std::size_t inputs =
          isNorm ? layer.weights.outputs() : layer.weights.inputs();
      if (layer.inputs.size() == inputs &&
          layer.outputs.size() == layer.weights.outputs())
        layers.push_back(std::move(layer));
    });
  }

  /// What a class may be multiplied with, and what of its noise is whose.
  struct Choice {
    double upper, lower = 0; ///< Between which no tensor and no weights widen.
    double errors = 0;       ///< Variances that all its tensors' steps add.
    double squares = 0;      ///< Of the weights that read it, by the signal.
    double weightErrors = 0; ///< What rounding these adds, by the signal.
    bool isPinned = false;   ///< To a factor of 1.
  };

  /// A factor moves the bound of RELU6 in the other units: a channel that meets
  /// it keeps its size, and others stay as far below it as below their tensor's
  /// largest value.
  void addBounds(std::vector<Choice> &choices) const {
    auto margin = input.method.value("margin");
    for (const auto &[value, bounds] : classes.bounded()) {
      auto seen = statistics.find(value);
      if (seen == statistics.end())
        continue;
      const ChannelStatistics &of = seen->second;
      std::vector<unsigned> own = classes.of(value);
      for (std::size_t c = 0; c < own.size(); ++c) {
        Choice &choice = choices[own[c]];
        if (!bounds.holds(of.least[c], of.most[c], 1 / margin))
          choice.isPinned = true;
        if (of.most[c] > 0)
          choice.upper =
              std::min(choice.upper, margin * bounds.high / of.most[c]);
        if (of.least[c] < 0)
          choice.upper =
              std::min(choice.upper, margin * bounds.low / of.least[c]);
      }
    }
  }

  void addTensors(std::vector<Choice> &choices) const {
    auto margin = input.method.value("margin");
    for (const auto &[value, seen] : statistics) {
      std::vector<unsigned> own = classes.of(value);
      double least = 0, most = 0;
      for (std::size_t c = 0; c < own.size(); ++c) {
        least = std::min(least, factors[own[c]] * double(seen.least[c]));
        most = std::max(most, factors[own[c]] * double(seen.most[c]));
      }
      unsigned bits =
          optionsOf(value.getDefiningOp(), input.options).activationBits;
      double step = (most - least) / (std::ldexp(1.0, int(bits)) - 1);
      for (std::size_t c = 0; c < own.size(); ++c) {
        Choice &choice = choices[own[c]];
        if (seen.most[c] > 0)
          choice.upper = std::min(choice.upper, margin * most / seen.most[c]);
        if (seen.least[c] < 0)
          choice.upper = std::min(choice.upper, margin * least / seen.least[c]);
        choice.errors += step * step / 12;
      }
    }
  }

  /// Divides by the deviation, beside which epsilon has to stay as small as it
  /// is. Of layers whose operands have factors.
  static void addNorm(const Layer &layer, const ChannelStatistics &seen,
                      std::vector<Choice> &choices) {
    constexpr double kSmall = 1e-3;
    double epsilon = floatKey(layer.weights.op, keys::epsilon);
    for (std::size_t c = 0; c < layer.inputs.size(); ++c) {
      Choice &choice = choices[layer.inputs[c]];
      double variance = seen.variance(c);
      if (epsilon > kSmall * variance) {
        choice.isPinned = true;
        continue;
      }
      double gain = layer.weights.largestOfOutput(c);
      choice.squares += gain * gain / variance / layer.signal;
      choice.lower =
          std::max(choice.lower, std::sqrt(epsilon / (kSmall * variance)));
    }
  }

  void addReaders(std::vector<Choice> &choices) const {
    for (const Layer &layer : layers) {
      auto seen = statistics.find(layer.weights.op->getOperand(0));
      if (!(layer.signal > 0) || seen == statistics.end())
        continue;
      if (layer.isNorm) {
        addNorm(layer, seen->second, choices);
        continue;
      }
      ChannelWeights now = withInputsScaled(layer);
      std::vector<float> shares = now.largestShares();
      double errors = errorsOf(now, layer.weightBits);
      for (std::size_t c = 0; c < layer.inputs.size(); ++c) {
        Choice &choice = choices[layer.inputs[c]];
        choice.squares += layer.weights.squaresOfInput(c) / layer.signal;
        if (now.isByChannel())
          continue;
        choice.weightErrors +=
            errors * seen->second.meanSquare(c) / layer.signal;
        choice.lower = std::max(choice.lower,
                                double(factors[layer.inputs[c]]) * shares[c]);
      }
    }
  }

  void chooseFactors() {
    std::vector<Choice> choices(classes.count(), Choice{most});
    addTensors(choices);
    addBounds(choices);
    addReaders(choices);
    for (unsigned k = 1; k < classes.count(); ++k) {
      const Choice &choice = choices[k];
      if (!(choice.squares > 0) || choice.isPinned)
        continue;
      double best =
          choice.weightErrors > 0
              ? std::pow(choice.errors * choice.squares / choice.weightErrors,
                         0.25)
              : choice.upper;
      double lower = std::max(choice.lower, 1 / most);
      factors[k] = float(std::max(lower, std::min(best, choice.upper)));
    }
  }

  ChannelWeights withInputsScaled(const Layer &layer) const {
    ChannelWeights now = layer.weights;
    for (std::size_t c = 0; c < layer.inputs.size() && !layer.isNorm; ++c)
      if (float s = factors[layer.inputs[c]]; s != 1)
        now.scaleInput(c, 1 / s);
    return now;
  }

  /// The variances that rounding the weights has, of all that one input channel
  /// meets.
  static double errorsOf(const ChannelWeights &now, unsigned bits) {
    double levels = std::ldexp(1.0, int(bits) - 1) - 1, sum = 0;
    for (std::size_t o = 0; o < now.outputs(); ++o) {
      double step = now.largestOfOutput(o) / levels;
      sum += step * step / 12;
    }
    return sum * double(now.taps());
  }

  bool apply() {
    bool isChanged = false;
    for (const Layer &layer : layers) {
      auto isScaled = [&](unsigned k) { return factors[k] != 1; };
      if (llvm::none_of(layer.inputs, isScaled) &&
          llvm::none_of(layer.outputs, isScaled))
        continue;
      ChannelWeights now = withInputsScaled(layer);
      for (std::size_t c = 0; c < layer.outputs.size(); ++c)
        if (float s = factors[layer.outputs[c]]; s != 1)
          now.scaleOutput(c, s);
      now.store();
      isChanged = true;
    }
    for (const auto &[value, first] : classes.tensors())
      reportFactors(value);
    return isChanged;
  }

  /// Where its values are compared with the network's, they are others.
  void reportFactors(mlir::Value value) const {
    mlir::Operation *op = value.getDefiningOp();
    std::vector<float> own;
    for (unsigned k : classes.of(value))
      own.push_back(factors[k]);
    toChannelsOf(value, own); // Those of a method before this one stay.
    if (op && op->getNumResults() == 1 &&
        llvm::any_of(own, [](float factor) { return factor != 1; }))
      setChannelFactors(op, own);
  }

  const MethodInput &input;
  const ChannelClasses classes;
  llvm::MapVector<mlir::Value, ChannelStatistics> statistics;
  std::vector<Layer> layers;
  std::vector<float> factors; ///< By class.
  double most = 1;            ///< Of a factor.
};

} // namespace

bool yarrow::balanceChannels(const MethodInput &input) {
  return Balance(input, ChannelClasses::Bounds::Fix).run();
}

bool yarrow::balanceBounded(const MethodInput &input) {
  Balance balance(input, ChannelClasses::Bounds::Pass);
  return balance.hasBounds() && balance.run();
}
