//===- SmoothChannels.cpp - Factors from activations to weights -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Channels of activations that are much larger than the others cost these their
// resolution, as a tensor has one scale; weights have one per output and can
// take the factor of an input channel. What a normalization's channel is
// divided by, the weights that read it are multiplied with. SmoothQuant (Xiao
// et al., 2022) balances both, AWQ (Lin et al., 2023) gives channels with
// strong inputs larger weights.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Compass.h"
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/Traits.h"
#include "dialects/compass/conv/ConvOps.h"
#include "dialects/compass/movement/MovementOps.h"
#include "quantizer/channels/ChannelWeights.h"
#include "quantizer/math/EvenSteps.h"
#include "quantizer/math/QuantParams.h"
#include "quantizer/math/Similarity.h"
#include "quantizer/methods/ApplyMethods.h"
#include "quantizer/options/GlobalMethodKind.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

using namespace yarrow;
using namespace yarrow::compass;

namespace {

/// Fully connected layers that read the channels of one layer.
struct ChannelReaders {
  mlir::Operation *maker;
  std::vector<mlir::Operation *> readers;
};

/// What is known of the channels between: from the first reader's inputs.
struct ChannelSignal {
  std::vector<float> largest, mean; ///< Of magnitudes.
  std::vector<Matrix> inputs;       ///< Of the float network, one group.
};

/// Whether a tensor keeps its last axis on its way through \p op.
bool keepsChannels(mlir::Operation *op) {
  return op->hasTrait<trait::MovesOnly>() && op->getNumOperands() == 1 &&
         op->getNumResults() == 1 &&
         shapeOf(op->getOperand(0)).back() ==
             shapeOf(op->getResult(0)).back() &&
         mlir::isa<ReshapeOp>(op);
}

/// All that reads \p value, if these are fully connected layers alone.
bool collectReaders(mlir::Value value,
                    std::vector<mlir::Operation *> &readers) {
  for (mlir::Operation *user : value.getUsers()) {
    if (mlir::isa<FullyConnectedOp>(user)) {
      if (!llvm::is_contained(readers, user))
        readers.push_back(user);
    } else if (!recordOf(user) || !keepsChannels(user) ||
               !collectReaders(user->getResult(0), readers)) {
      return false;
    }
  }
  return true;
}

std::optional<ChannelWeights> weightsOfMaker(mlir::Operation *op) {
  if (auto norm = ChannelWeights::ofNorm(op))
    return norm;
  return mlir::isa<FullyConnectedOp>(op) ? ChannelWeights::of(op)
                                         : std::nullopt;
}

class Smoothing {
public:
  explicit Smoothing(const MethodInput &input)
      : input(input),
        isAwq(input.method.record->kind == GlobalMethodKind::Awq) {}

  bool run() {
    collect();
    if (pairs.empty() || !observe())
      return false;
    for (const ChannelReaders &pair : pairs)
      apply(pair, factorsFor(pair));
    return true;
  }

private:
  void collect() {
    mlir::ModuleOp(input.network).walk([&](mlir::Operation *op) {
      if (!recordOf(op) || op->getNumResults() != 1 ||
          !input.method.appliesTo(op))
        return;
      bool isNorm = ChannelWeights::ofNorm(op).has_value();
      // Between fully connected layers a rectifier would do, others not.
      bool isProduct = isAwq && mlir::isa<FullyConnectedOp>(op) &&
                       wordKey(op, keys::with_activation, "NONE") == "NONE";
      ChannelReaders found{op, {}};
      if ((isNorm || isProduct) &&
          collectReaders(op->getResult(0), found.readers) &&
          !found.readers.empty())
        pairs.push_back(std::move(found));
    });
  }

  /// The inputs of each pair's first reader.
  bool observe() {
    constexpr std::size_t kSamples = 32, kPixels = 64;
    JointForward forward;
    if (!forward.create(input.network, input.quantized, input.samples, kSamples,
                        input.diags))
      return false;
    return forward.run(
        [&](const JointLayer &layer) {
          for (const ChannelReaders &pair : pairs) {
            if (pair.readers.front() != layer.floatOp)
              continue;
            LayerRows rows(layer);
            ChannelSignal &s = signals[layer.floatOp];
            s.inputs = rows.gather(InputsOf::Floats, 0, layer.numSamples,
                                   std::min(rows.pixels(), kPixels));
            const Matrix &x = s.inputs[0];
            s.largest.assign(x.columns, 0);
            s.mean.assign(x.columns, 0);
            for (std::size_t r = 0; r < x.rows; ++r)
              for (std::size_t c = 0; c < x.columns; ++c) {
                float magnitude = std::fabs(x.at(r, c));
                s.largest[c] = std::max(s.largest[c], magnitude);
                s.mean[c] += magnitude / float(x.rows);
              }
          }
        },
        input.diags);
  }

  /// A factor by which nothing is divided that would not be finite.
  static float usable(float factor) {
    constexpr float kMost = float(uint32_t(1) << 31), kLeast = 1e-6f;
    return std::isfinite(factor) && factor > kLeast && factor < kMost ? factor
                                                                      : 1.0f;
  }

  std::vector<float> smoothed(const ChannelReaders &pair,
                              const ChannelSignal &s, double alpha) const {
    std::vector<float> factors(s.largest.size());
    for (mlir::Operation *reader : pair.readers) {
      auto w = ChannelWeights::of(reader);
      for (std::size_t c = 0; w && c < factors.size(); ++c)
        factors[c] = std::max(factors[c], w->largestOfInput(c));
    }
    for (std::size_t c = 0; c < factors.size(); ++c)
      factors[c] = usable(float(std::pow(double(s.largest[c]), alpha) /
                                std::pow(double(factors[c]), 1 - alpha)));
    return factors;
  }

  std::vector<float> strengthened(const ChannelSignal &s, double power) const {
    std::vector<float> factors;
    float least = std::numeric_limits<float>::max(), most = 0;
    for (float mean : s.mean) {
      factors.push_back(std::max(float(std::pow(double(mean), power)), 1e-4f));
      least = std::min(least, factors.back());
      most = std::max(most, factors.back());
    }
    for (float &factor : factors)
      factor = usable(factor / std::sqrt(least * most));
    return factors;
  }

  /// What is lost if weights, and of smoothing the inputs as well, are rounded
  /// behind these factors: noise over signal of the readers' results.
  double lossOf(const ChannelReaders &pair, const ChannelSignal &s,
                const std::vector<float> &factors) const {
    Similarity all;
    const Matrix &x = s.inputs[0];
    Matrix scaled = x;
    FloatRange range;
    for (std::size_t r = 0; r < x.rows; ++r)
      for (std::size_t c = 0; c < x.columns; ++c) {
        float &value = scaled.at(r, c);
        value /= factors[c];
        range.min = std::min(range.min, value);
        range.max = std::max(range.max, value);
      }
    for (mlir::Operation *reader : pair.readers) {
      LayerOptions options = optionsOf(reader, input.options);
      Matrix rounded = scaled;
      if (!isAwq)
        roundAll(rounded, linearParams(range.min, range.max,
                                       options.activationMethod.mode,
                                       options.activationBits, range.min < 0));
      auto weights = viewConstant(tensorKey(reader, keys::weights));
      auto outputs = std::size_t(weights->shape[0]);
      Matrix real(outputs, x.columns), after(outputs, x.columns);
      for (std::size_t o = 0; o < outputs; ++o) {
        float largest = 0;
        for (std::size_t c = 0; c < x.columns; ++c) {
          real.at(o, c) = float(weights->floatAt(int64_t(o * x.columns + c)));
          after.at(o, c) = real.at(o, c) * factors[c];
          largest = std::max(largest, std::fabs(after.at(o, c)));
        }
        LinearParams p =
            linearParams(-largest, largest, options.weightMethod.mode,
                         options.weightBits, /*isSigned=*/true);
        for (float &value : after.rowOf(o))
          value = float(quantizeValue(value, p)) / p.scale;
      }
      Matrix wanted(x.rows, outputs), got(x.rows, outputs);
      addProduct(x, real.transposed(), wanted);
      addProduct(rounded, after.transposed(), got);
      for (std::size_t r = 0; r < x.rows; ++r)
        all.add(wanted.rowOf(r), got.rowOf(r));
    }
    return all.noiseSquares / std::max(all.signalSquares, 1e-30);
  }

  static void roundAll(Matrix &x, const LinearParams &p) {
    for (std::size_t r = 0; r < x.rows; ++r)
      for (float &value : x.rowOf(r))
        value = float(quantizeValue(value, p) + p.zp) / p.scale;
  }

  std::vector<float> factorsFor(const ChannelReaders &pair) const {
    const ChannelSignal &s = signals.at(pair.readers.front());
    const GlobalMethod &m = input.method;
    if (!isAwq && m.value("auto") == 0)
      return smoothed(pair, s, m.value("alpha"));
    std::vector<double> strengths =
        isAwq ? evenSteps(0, 1, m.value("n_grid") + 1)
              : evenSteps(m.value("amin"), m.value("amax"), m.value("nsteps"));
    std::vector<float> best;
    double least = std::numeric_limits<double>::infinity();
    for (double at : strengths) {
      std::vector<float> factors =
          isAwq ? strengthened(s, at) : smoothed(pair, s, at);
      // AWQ's factors are the weights'; both divide the activations.
      double loss = lossOf(pair, s, factors);
      if (loss < least)
        least = loss, best = std::move(factors);
    }
    return best;
  }

  void apply(const ChannelReaders &pair, const std::vector<float> &factors) {
    auto maker = weightsOfMaker(pair.maker);
    if (!maker || maker->outputs() != factors.size())
      return;
    for (std::size_t c = 0; c < factors.size(); ++c)
      maker->scaleOutput(c, 1 / factors[c]);
    maker->store();
    for (mlir::Operation *reader : pair.readers) {
      auto w = ChannelWeights::of(reader);
      for (std::size_t c = 0; w && c < factors.size(); ++c)
        w->scaleInput(c, factors[c]);
      if (w)
        w->store();
    }
  }

  const MethodInput &input;
  const bool isAwq;
  std::vector<ChannelReaders> pairs;
  std::map<mlir::Operation *, ChannelSignal> signals;
};

} // namespace

bool yarrow::smoothChannels(const MethodInput &input) {
  return Smoothing(input).run();
}
