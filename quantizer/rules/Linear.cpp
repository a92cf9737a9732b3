//===- Linear.cpp - Weights, bias and requantization of a linear layer ----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/rules/Linear.h"

#include "dialects/compass/Keys.h"
#include "quantizer/math/BiasBits.h"
#include "quantizer/math/WeightCompression.h"
#include "support/LinearValues.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <span>
#include <utility>

using namespace yarrow::compass;

namespace yarrow {

/// Weights, before the biases are known to fit.
static std::optional<LinearConstants> weightsOf(LayerContext &layer) {
  auto constant = layer.floats(keys::weights);
  if (!constant || constant->values.empty()) {
    layer.unsupported("the layer has no constant weights");
    return std::nullopt;
  }
  LinearConstants c;
  c.weights = std::move(constant->values);
  c.shape = std::move(constant->shape);
  c.channels = c.shape.empty() ? 1 : std::size_t(c.shape[0]);
  c.perChannel = c.weights.size() / c.channels;
  return c;
}

std::optional<LinearConstants> linearConstants(LayerContext &layer,
                                               const LinearLayer &linear) {
  assert(problemsOf(layer.options).empty() && linear.weightBits >= 2 &&
         linear.weightBits <= 16 && "quantizeModule has checked the options");
  auto constants = weightsOf(layer);
  if (!constants)
    return std::nullopt;
  std::size_t outputs = constants->channels * linear.filterUses;
  constants->biases.assign(outputs, 0.0f);
  if (auto biases = layer.floats(keys::biases))
    constants->biases = std::move(biases->values);
  if (constants->biases.size() != outputs) {
    layer.unsupported("weights have " + std::to_string(outputs) +
                      " output channels, biases " +
                      std::to_string(constants->biases.size()));
    return std::nullopt;
  }
  return constants;
}

unsigned biasBitsOf(const LayerContext &layer, const LinearLayer &linear) {
  bool isWide = linear.takesWideBias && linear.input.bits > 8;
  return std::min(layer.options.biasBits, isWide ? 48u : 32u);
}

float boundForBias(const LayerContext &layer, const LinearLayer &linear,
                   float bias) {
  auto largest = double(integerMax(biasBitsOf(layer, linear), true)) / 2;
  return float(std::fabs(double(bias)) * linear.input.scale *
               double(integerMax(linear.weightBits, true)) / largest);
}

/// Activations of many bits have small zero points only, but 16-bit weights to
/// go with them: the range is to hold that part of the bias, too.
static float biasWithZeroPoint(const LinearLayer &linear, float bias,
                               std::span<const float> weights) {
  if (hasZeroPoints(linear.input.bits) || linear.input.zp == 0 ||
      !linear.absorbInputZp)
    return bias;
  double sum = 0;
  for (float w : weights)
    sum += w;
  return float(bias + linear.input.zp * sum / linear.input.scale);
}

FloatRange weightRange(const LayerContext &layer, std::span<const float> values,
                       unsigned bits, bool isPart) {
  CalibrationStrategy strategy = layer.options.weightStrategy;
  const ObserverOptions &options = layer.options.observer;
  Observer observer(strategy, options);
  TensorStatistics s =
      collectStatistics(values, strategy.needsMoments(), options.trim);
  completeBatch(s);
  if (strategy.needsSecondRun())
    collectDeviations(values, s, options.histogramBins, s, options.trim);
  observer.addBatch(s);
  return observer.range(bits, /*symmetric=*/true, isPart);
}

FloatRange weightRangeOf(const LayerContext &layer,
                         const LinearConstants &constants, unsigned bits,
                         std::optional<std::size_t> channel) {
  if (const TensorEncoding *given = layer.weightEncoding(channel)) {
    // By which linearParams() comes nearest to its scale.
    float reach = given->step * float(given->highest - given->lowest) / 2;
    return {-reach, reach};
  }
  if (auto range = layer.weightRangeSet(channel))
    return *range;
  if (layer.options.weightStrategy.kind == CalibrationStrategy::Kind::InIr)
    if (auto range = layer.weightRangeInIr(channel))
      return {std::min(range->min, 0.0f), std::max(range->max, 0.0f)};
  return weightRange(layer,
                     channel ? constants.of(*channel)
                             : std::span<const float>(constants.weights),
                     bits, channel.has_value());
}

/// Bias at the scale of the products, with the input's zero point folded in.
/// \p sums are those of the weights of each filter.
static std::vector<int64_t> quantizedBias(const LayerContext &layer,
                                          const LinearLayer &linear,
                                          const std::vector<float> &bias,
                                          const ChannelParams &params,
                                          const std::vector<int64_t> &sums) {
  unsigned bits = biasBitsOf(layer, linear),
           effective = layer.options.biasEffectiveBits;
  std::size_t filters = params.channels.size();
  std::vector<float> scales(bias.size());
  for (std::size_t c = 0; c < bias.size(); ++c)
    scales[c] = linear.input.scale * params.channels[c % filters].scale;
  if (layer.options.adaptBiasBits)
    bits = adaptedBiasBits(bias, scales, bits, effective);
  int64_t lo = integerMin(bits, true), hi = integerMax(bits, true);
  std::vector<int64_t> quantized(bias.size());
  for (std::size_t c = 0; c < bias.size(); ++c) {
    int64_t b = quantizeValue(bias[c], scales[c], 0, lo, hi);
    if (linear.absorbInputZp)
      b += linear.input.zp * sums[c % filters];
    quantized[c] = std::clamp(b, lo, hi);
  }
  clearLowBiasBits(quantized, effective);
  return quantized;
}

/// The scales that weights and biases were quantized with: not used at run
/// time, but part of the IR.
static void describeScales(LayerContext &layer, const LinearLayer &linear,
                           const ChannelParams &params, bool perTensor) {
  std::vector<float> weightScales, biasScales;
  std::vector<int64_t> zeros(params.channels.size(), 0);
  for (const LinearParams &p : params.channels)
    weightScales.push_back(p.scale);
  for (unsigned use = 0; use < linear.filterUses; ++use)
    for (float scale : weightScales)
      biasScales.push_back(linear.input.scale * scale);
  if (perTensor) {
    layer.setExtra("weights_scale", floatText(weightScales[0]));
    layer.setExtra("weights_zp", "0");
    layer.setExtra("biases_scale", floatText(biasScales[0]));
    layer.setExtra("biases_zp", "0");
    return;
  }
  layer.setExtraTensor("weights_scale", weightScales);
  layer.setExtraTensor("weights_zp", {int64_t(zeros.size())}, DType::I32,
                       zeros);
  layer.setExtraTensor("biases_scale", biasScales);
  layer.setExtraTensor("biases_zp", {1}, DType::I64, {0});
}

bool requantFits(const ChannelParams &params) {
  return llvm::all_of(params.requant, [](const ScaleApproximation &r) {
    return r.shift <= 31 && r.shift >= -31;
  });
}

void setLinear(LayerContext &layer, const LinearLayer &linear,
               QuantizedLinear quantized) {
  const LayerOptions &o = layer.options;
  std::vector<ScaleApproximation> requant;
  for (unsigned use = 0; use < linear.filterUses; ++use)
    llvm::append_range(requant, quantized.params.requant);
  layer.op->setAttr(keys::weights,
                    makeConstant(layer.op->getContext(),
                                 layerNameOf(layer.op).str() + ".weights",
                                 quantized.shape,
                                 integerType(linear.weightBits, true),
                                 std::move(quantized.weights)));
  layer.setTensor(keys::biases, {int64_t(quantized.biases.size())},
                  linear.takesWideBias && o.biasBits > 32 ? DType::I64
                                                          : DType::I32,
                  quantized.biases);
  if (quantized.perTensor && !linear.alwaysTensors) {
    layer.setRequant(requant[0], o.multiplierWidth());
  } else {
    bool wide = o.multiplierWidth() > 8 ||
                (!quantized.perTensor && linear.unifyShifts && o.unifyShifts);
    layer.setRequantTensors(requant, wide ? DType::U16 : DType::U8);
    layer.setExtra("scale_type", wide ? "uint16" : "uint8");
    layer.setExtra("shift_type", "int8");
  }
  describeScales(layer, linear, quantized.params, quantized.perTensor);
}

/// As a file says it, where \p range, which the bias may have widened, is still
/// that of the file.
static std::optional<LinearParams>
givenWeights(const LayerContext &layer, const LinearLayer &linear,
             const LinearConstants &constants, FloatRange range,
             std::optional<std::size_t> channel = {}) {
  const TensorEncoding *given = layer.weightEncoding(channel);
  if (!given || given->bits != linear.weightBits ||
      range.max >
          weightRangeOf(layer, constants, linear.weightBits, channel).max)
    return std::nullopt;
  return paramsOf(*given, /*prefersSigned=*/true, /*mustBeSigned=*/true);
}

/// Of integers that are stored in so many bytes.
static int64_t sumOf(std::span<const char> stored, std::size_t bytes) {
  int64_t sum = 0;
  int shift = int(64 - 8 * bytes);
  for (std::size_t at = 0; at < stored.size(); at += bytes) {
    uint64_t value = 0;
    std::memcpy(&value, stored.data() + at, bytes);
    sum += int64_t(value << shift) >> shift;
  }
  return sum;
}

bool quantizeLinear(LayerContext &layer, const LinearLayer &linear) {
  const LayerOptions &o = layer.options;
  auto constants = linearConstants(layer, linear);
  if (!constants)
    return false;
  const std::vector<float> &bias = constants->biases;
  auto ratioOf = [&](float scale) { return requantRatio(linear, scale); };
  QuantizedLinear q;
  q.shape = constants->shape;
  q.perTensor = linear.groups <= 1 && !o.weightMethod.perChannel;
  if (q.perTensor) {
    FloatRange r = weightRangeOf(layer, *constants, linear.weightBits);
    if (o.compressWeights && !layer.weightEncoding())
      r = compressibleRange(r, constants->weights, o.weightMethod.mode,
                            linear.weightBits);
    for (std::size_t i = 0; i < bias.size(); ++i) {
      float sum = biasWithZeroPoint(linear, bias[i],
                                    constants->of(i % constants->channels));
      r.max = std::max(r.max, boundForBias(layer, linear, sum));
    }
    LinearParams p = linearParams(r.min, r.max, o.weightMethod.mode,
                                  linear.weightBits, /*isSigned=*/true);
    if (auto given = givenWeights(layer, linear, *constants, r))
      p = *given;
    q.params.channels.assign(constants->channels, p);
    q.params.requant.assign(
        constants->channels,
        layer.approximate(ratioOf(p.scale), o.multiplierWidth()));
  } else {
    std::vector<FloatRange> ranges;
    std::vector<std::optional<LinearParams>> given;
    for (std::size_t c = 0; c < constants->channels; ++c) {
      ranges.push_back(weightRangeOf(layer, *constants, linear.weightBits, c));
      for (std::size_t i = c; i < bias.size(); i += constants->channels) {
        float sum = biasWithZeroPoint(linear, bias[i], constants->of(c));
        float bound = boundForBias(layer, linear, sum);
        ranges.back().max = std::max(ranges.back().max, bound);
      }
      given.push_back(
          givenWeights(layer, linear, *constants, ranges.back(), c));
    }
    // A filter that serves all groups has one scale for them.
    unsigned groups = linear.filterUses > 1 ? 1 : linear.groups;
    ShiftRules shifts = o.shiftRules(linear.unifyShifts);
    // One weak channel shall not cost the others the scales of a file.
    if (layer.weightEncoding(0))
      shifts.merge = ShiftsMerge::Channel;
    q.params = channelParams(
        ranges, o.weightMethod.perChannel ? unsigned(ranges.size()) : groups,
        o.weightMethod.mode, linear.weightBits, o.multiplierWidth(), shifts,
        ratioOf, given);
    if (q.params.numForced)
      layer.warnOfForcedShift();
  }
  if (!requantFits(q.params)) {
    layer.failWithoutScale("no multiplier and shift can represent the scales "
                           "of input, weights and output");
    return false;
  }
  std::size_t bytes =
      kernels::dtypeBytes(integerType(linear.weightBits, true).dtype);
  std::size_t channelBytes = constants->perChannel * bytes;
  q.weights.resize(constants->weights.size() * bytes);
  std::vector<int64_t> sums;
  for (std::size_t c = 0; c < q.params.channels.size(); ++c) {
    const LinearParams &p = q.params.channels[c];
    char *to = q.weights.data() + c * channelBytes;
    quantizeValues(constants->of(c), {p.scale, p.zp, p.qmin, p.qmax, bytes},
                   to);
    sums.push_back(sumOf(std::span(to, channelBytes), bytes));
  }
  q.biases = quantizedBias(layer, linear, bias, q.params, sums);
  setLinear(layer, linear, std::move(q));
  return true;
}

} // namespace yarrow
