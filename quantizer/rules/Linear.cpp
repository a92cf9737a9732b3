//===- Linear.cpp - Weights, bias and requantization of a linear layer ----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/rules/Linear.h"

#include <algorithm>
#include <cmath>

using namespace yarrow::compass;

namespace yarrow {

namespace {

struct Weights {
  std::vector<float> values;
  std::vector<int64_t> shape;
  std::size_t channels, perChannel; ///< output channels, weights of each

  std::span<const float> of(std::size_t channel) const {
    return std::span(values).subspan(channel * perChannel, perChannel);
  }
};

} // namespace

static std::optional<Weights> weightsOf(LayerContext &layer) {
  auto constant = layer.floats("weights");
  if (!constant || constant->values.empty()) {
    layer.unsupported("the layer has no constant weights");
    return std::nullopt;
  }
  Weights w{std::move(constant->values), std::move(constant->shape), 1, 1};
  w.channels = w.shape.empty() ? 1 : std::size_t(w.shape[0]);
  w.perChannel = w.values.size() / w.channels;
  return w;
}

/// The smallest bound of the weights' range whose scale leaves \p bias, and as
/// much again for the zero point's part, within bias_bits. Matters to 16-bit
/// weights, and to channels that training has switched off: their weights are
/// next to nothing, so their scale would saturate the bias, which is all that
/// such a channel has.
static float boundForBias(const LayerContext &layer, const LinearLayer &linear,
                          float bias) {
  auto largest = double(integerMax(layer.options.biasBits, true)) / 2;
  return float(std::fabs(double(bias)) * linear.input.scale *
               double(integerMax(linear.weightBits, true)) / largest);
}

static FloatRange weightRange(LayerContext &layer,
                              std::span<const float> values, unsigned bits) {
  CalibrationStrategy strategy = layer.options.weightStrategy;
  Observer observer(strategy, {});
  TensorStatistics s = collectStatistics(values, strategy.needsMoments());
  if (strategy.needsSecondRun())
    collectDeviations(values, s, ObserverOptions().histogramBins, s);
  observer.addBatch(s);
  return observer.range(bits, /*symmetric=*/true);
}

/// Bias at the scale of the products, with the input's zero point folded in.
static std::vector<int64_t> quantizedBias(const LayerContext &layer,
                                          const LinearLayer &linear,
                                          const std::vector<float> &bias,
                                          const ChannelParams &params,
                                          const std::vector<int64_t> &weights) {
  unsigned bits = layer.options.biasBits;
  int64_t lo = integerMin(bits, true), hi = integerMax(bits, true);
  std::size_t perChannel = weights.size() / bias.size();
  std::vector<int64_t> quantized(bias.size());
  for (std::size_t c = 0; c < bias.size(); ++c) {
    float scale = linear.input.scale * params.channels[c].scale;
    int64_t b = quantizeValue(bias[c], scale, 0, lo, hi);
    if (linear.absorbInputZp)
      for (std::size_t i = 0; i < perChannel; ++i)
        b += linear.input.zp * weights[c * perChannel + i];
    quantized[c] = std::clamp(b, lo, hi);
  }
  clearLowBiasBits(quantized, layer.options.biasEffectiveBits);
  return quantized;
}

/// The scales that weights and biases were quantized with: not used at run
/// time, but part of the IR.
static void describeScales(LayerContext &layer, const LinearLayer &linear,
                           const ChannelParams &params, bool perTensor) {
  std::vector<float> weightScales, biasScales;
  std::vector<int64_t> zeros(params.channels.size(), 0);
  for (const LinearParams &p : params.channels) {
    weightScales.push_back(p.scale);
    biasScales.push_back(linear.input.scale * p.scale);
  }
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

bool quantizeLinear(LayerContext &layer, const LinearLayer &linear) {
  const LayerOptions &o = layer.options;
  if (o.weightMethod.mode == RangeMode::Asymmetric)
    return layer.unsupported(
        "weights cannot be quantized asymmetrically: the tensor engine has no "
        "weight zero point",
        "use per_channel_symmetric_restricted_range");
  if (linear.weightBits < 2 || linear.weightBits > 16 || o.biasBits < 16 ||
      o.biasBits > 32)
    return layer.unsupported("weight_bits must be 2 to 16 and bias_bits 16 to "
                             "32, found " +
                             std::to_string(linear.weightBits) + " and " +
                             std::to_string(o.biasBits));
  auto weights = weightsOf(layer);
  if (!weights)
    return false;
  std::vector<float> bias(weights->channels, 0.0f);
  if (auto constant = layer.floats("biases"))
    bias = constant->values;
  if (bias.size() != weights->channels)
    return layer.unsupported(
        "weights have " + std::to_string(weights->channels) +
        " output channels, biases " + std::to_string(bias.size()));

  auto ratioOf = [&](float weightScale) {
    return linear.output.scale / (linear.input.scale * weightScale);
  };
  bool perTensor = linear.groups <= 1 && !o.weightMethod.perChannel;
  ChannelParams params;
  if (perTensor) {
    FloatRange r = weightRange(layer, weights->values, linear.weightBits);
    for (float b : bias)
      r.max = std::max(r.max, boundForBias(layer, linear, b));
    LinearParams p = linearParams(r.min, r.max, o.weightMethod.mode,
                                  linear.weightBits, /*isSigned=*/true);
    params.channels.assign(weights->channels, p);
    params.requant.assign(
        weights->channels,
        approximateScale(ratioOf(p.scale), o.multiplierWidth()));
  } else {
    std::vector<FloatRange> ranges;
    for (std::size_t c = 0; c < weights->channels; ++c) {
      ranges.push_back(weightRange(layer, weights->of(c), linear.weightBits));
      float bound = boundForBias(layer, linear, bias[c]);
      ranges.back().max = std::max(ranges.back().max, bound);
    }
    params = channelParams(
        ranges,
        o.weightMethod.perChannel ? unsigned(ranges.size()) : linear.groups,
        o.weightMethod.mode, linear.weightBits, o.multiplierWidth(),
        linear.unifyShifts && o.unifyShifts, ratioOf);
  }
  if (params.requant[0].shift > 31 || params.requant[0].shift < -31)
    return layer.unsupported("the scales of input, weights and output do not "
                             "fit a multiplier and a shift");

  std::vector<int64_t> quantized(weights->values.size());
  for (std::size_t i = 0; i < quantized.size(); ++i)
    quantized[i] = quantizeValue(weights->values[i],
                                 params.channels[i / weights->perChannel]);
  layer.setTensor("weights", weights->shape,
                  integerType(linear.weightBits, true), quantized);
  layer.setTensor("biases", {int64_t(bias.size())}, DType::I32,
                  quantizedBias(layer, linear, bias, params, quantized));
  if (perTensor && !linear.alwaysTensors) {
    layer.setRequant(params.requant[0], o.multiplierWidth());
  } else {
    bool wide = o.multiplierWidth() > 8 ||
                (!perTensor && linear.unifyShifts && o.unifyShifts);
    layer.setRequantTensors(params.requant, wide ? DType::U16 : DType::U8);
    layer.setExtra("scale_type", wide ? "uint16" : "uint8");
    layer.setExtra("shift_type", "int8");
  }
  describeScales(layer, linear, params, perTensor);
  return true;
}

} // namespace yarrow
