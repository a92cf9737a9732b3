//===- Winograd.cpp - Convolutions in Winograd's form ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/rules/Winograd.h"

#include "dialects/compass/ConstantValues.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/conv/ConvOps.h"
#include "dialects/compass/conv/Winograd.h"
#include "quantizer/math/WinogradWeights.h"
#include "support/ThreadPool.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <tuple>
#include <utility>

using namespace yarrow::compass;

namespace yarrow {

/// The window's height and width.
static constexpr unsigned kKernel = 3;

/// F(2,3) sums rows as they are, which is F(1,3) along the height.
static const WinogradTile &winogradTile(WinogradTransform transform) {
  static const WinogradMatrices plain = winogradMatrices(1, kKernel),
                                twoOutputs = winogradMatrices(2, kKernel);
  static const WinogradTile rows(plain, twoOutputs),
      square(twoOutputs, twoOutputs);
  assert(transform != WinogradTransform::None);
  return transform == WinogradTransform::F2_3 ? rows : square;
}

bool isWinogradCandidate(mlir::Operation *op) {
  auto conv = llvm::dyn_cast<ConvolutionOp>(op);
  mlir::ElementsAttr weights = conv ? tensorKey(op, keys::weights) : nullptr;
  auto view = weights ? viewConstant(weights) : std::nullopt;
  if (!view || !dtypeIsFloat(view->dtype) || isIntegerLayer(op) ||
      isWinogradLayer(op) || conv.getGroup() != 1)
    return false;
  WindowKeys w = windowKeys(op);
  return view->shape.size() == 4 && view->shape[1] == kKernel &&
         view->shape[2] == kKernel && w.strideY == 1 && w.strideX == 1 &&
         w.dilationY == 1 && w.dilationX == 1;
}

namespace {

/// A layer's weights on the way from float to the Winograd form.
class WinogradLayer {
public:
  WinogradLayer(const LayerContext &layer, const LinearLayer &linear,
                const LinearConstants &constants);

  /// False if 32-bit sums cannot be proved to hold some channel.
  bool quantize();

  QuantizedLinear result;
  std::vector<unsigned> shifts; ///< [output channels, taps]

private:
  float rangeOf(std::size_t channel) const;
  double roundWeights(std::size_t channel, const LinearParams &p);
  void chooseRange(std::size_t channel);
  void computeScales();
  void quantizeChannel(std::size_t channel);
  bool fits(std::size_t channel) const;
  std::span<const float> tap(std::size_t channel, std::size_t tap) const {
    return std::span(transformed)
        .subspan((channel * tile.taps() + tap) * inputs, inputs);
  }
  std::span<const unsigned> shiftsOf(std::size_t channel) const {
    return std::span(shifts).subspan(channel * tile.taps(), tile.taps());
  }
  std::span<const int64_t> weightsOf(std::size_t channel) const {
    return std::span(weights).subspan(channel * tile.taps() * inputs,
                                      tile.taps() * inputs);
  }

  const LayerContext &layer;
  const LinearLayer &linear;
  const std::vector<float> &biases;
  const WinogradTile &tile;
  std::size_t channels, inputs;
  std::vector<int64_t> weights;   ///< Of the result.
  std::vector<float> transformed; ///< [output channels, taps, inputs]
  std::vector<float> largest;     ///< magnitude of each tap: [channels, taps]
  /// Of each channel: the range of the coarsest tap, and by how many bits that
  /// of the finest tap is narrower.
  std::vector<float> range;
  std::vector<unsigned> finest;
};

} // namespace

WinogradLayer::WinogradLayer(const LayerContext &layer,
                             const LinearLayer &linear,
                             const LinearConstants &constants)
    : layer(layer), linear(linear), biases(constants.biases),
      tile(winogradTile(layer.options.winograd)), channels(constants.channels),
      inputs(std::size_t(constants.shape[3])) {
  transformed = tile.transformWeights(constants.weights, channels, inputs);
  result.shape = {int64_t(channels), tile.y.tile(), tile.x.tile(),
                  int64_t(inputs)};
  weights.resize(transformed.size());
  result.biases.resize(channels);
  shifts.resize(channels * tile.taps());
  range.resize(channels);
  finest.resize(channels);
  largest.resize(channels * tile.taps());
  parallelFor(channels, [&](std::size_t c) {
    for (std::size_t t = 0; t < tile.taps(); ++t) {
      FloatRange r =
          weightRange(layer, tap(c, t), linear.weightBits, /*isPart=*/true);
      largest[c * tile.taps() + t] = std::max(-r.min, r.max);
    }
    chooseRange(c);
  });
}

/// The range that the finest tap's scale is made from.
float WinogradLayer::rangeOf(std::size_t channel) const {
  return std::max(std::ldexp(range[channel], -int(finest[channel])),
                  boundForBias(layer, linear, biases[channel]));
}

/// A scale that fits the largest tap exactly may be bad for the others: tries
/// coarser ones up to the next power of two, where all repeats.
void WinogradLayer::chooseRange(std::size_t channel) {
  constexpr unsigned kMargins = 8;
  auto ofTaps = std::span<const float>(largest).subspan(channel * tile.taps(),
                                                        tile.taps());
  float least = *std::ranges::max_element(ofTaps);
  double leastError = std::numeric_limits<double>::infinity();
  std::pair<float, unsigned> best = {least, 0};
  for (unsigned i = 0; i < kMargins; ++i) {
    range[channel] = least * std::exp2(float(i) / float(kMargins));
    finest[channel] = winogradFinestShift(ofTaps, range[channel]);
    // Beside other channels a range narrower than float32's epsilon is empty.
    while (finest[channel] > 0 &&
           std::ldexp(range[channel], -int(finest[channel])) <
               std::numeric_limits<float>::epsilon())
      --finest[channel];
    float ofScale = rangeOf(channel);
    double error = roundWeights(
        channel,
        linearParams(-ofScale, ofScale, layer.options.weightMethod.mode,
                     linear.weightBits, /*isSigned=*/true));
    if (error < leastError) {
      leastError = error;
      best = {range[channel], finest[channel]};
    }
  }
  std::tie(range[channel], finest[channel]) = best;
}

/// One scale per output channel, that of its finest tap, whatever the method
/// for weights: with one scale for all channels and taps transformed weights
/// lose 2 dB (1-D) or 4 dB (2-D) against direct ones (ResNet-20), and the
/// engine reads a multiplier per channel at no cost.
///
/// Where channels share a shift, a channel's multiplier falls with its range
/// (QuantParams.h). From 2^-6 of the widest range on it has 8 bits or more; a
/// narrower channel gets a wider range. It is one of small weights, whose
/// results the output's rounding decides, or its taps can be less fine.
void WinogradLayer::computeScales() {
  const LayerOptions &o = layer.options;
  bool unifyShifts = linear.unifyShifts && o.unifyShifts;
  float widest = 0;
  for (std::size_t c = 0; c < channels; ++c)
    widest = std::max(widest, rangeOf(c));
  float least = unifyShifts ? std::ldexp(widest, -6) : 0;
  std::vector<FloatRange> ranges;
  for (std::size_t c = 0; c < channels; ++c) {
    while (finest[c] > 0 && rangeOf(c) < least)
      --finest[c];
    float bound = std::max(rangeOf(c), least);
    ranges.push_back({-bound, bound});
  }
  result.params = channelParams(
      ranges, unsigned(channels), o.weightMethod.mode, linear.weightBits,
      o.multiplierWidth(), o.shiftRules(linear.unifyShifts),
      [&](float scale) { return requantRatio(linear, scale); });
}

/// Shifts and weights of a channel at \p p's scale. Returns the rounding's
/// square error.
double WinogradLayer::roundWeights(std::size_t channel, const LinearParams &p) {
  // A little more than half a step, for scales that were rounded up: of the
  // full range the largest weight lies there.
  double limit = (double(p.qmax) + 0.5) * (1 + 1e-6);
  std::vector<double> steps(tile.taps());
  for (std::size_t t = 0; t < tile.taps(); ++t) {
    unsigned &shift = shifts[channel * tile.taps() + t];
    shift =
        winogradTapShift(largest[channel * tile.taps() + t], p.scale, limit);
    steps[t] = std::ldexp(1.0, int(shift)) / double(p.scale);
  }
  std::size_t begin = channel * tile.taps() * inputs;
  return tile.roundWeights(
      std::span(transformed).subspan(begin, tile.taps() * inputs), steps,
      p.qmin, p.qmax, std::span(weights).subspan(begin, tile.taps() * inputs));
}

/// Weights and bias of a channel at its final scale, which may be coarser than
/// the one it asked for.
void WinogradLayer::quantizeChannel(std::size_t channel) {
  const LinearParams &p = result.params.channels[channel];
  roundWeights(channel, p);
  int64_t bias = quantizeValue(biases[channel], linear.input.scale * p.scale, 0,
                               integerMin(biasBitsOf(layer, linear), true),
                               integerMax(biasBitsOf(layer, linear), true));
  result.biases[channel] =
      bias + linear.input.zp *
                 tile.responseToOnes(weightsOf(channel), shiftsOf(channel));
}

/// Are all sums within 32 bits, and the bias within bias_bits? The engine takes
/// unsigned inputs less 128 and adds what that takes away to the bias.
bool WinogradLayer::fits(std::size_t channel) const {
  std::span<const int64_t> weights = weightsOf(channel);
  std::span<const unsigned> ofTaps = shiftsOf(channel);
  int64_t bias = result.biases[channel], engineBias = bias;
  if (!linear.input.isSigned)
    engineBias += 128 * tile.responseToOnes(weights, ofTaps);
  int64_t largest = tile.sumBound(weights, ofTaps) +
                    std::max(std::abs(bias), std::abs(engineBias));
  unsigned bits = biasBitsOf(layer, linear);
  return largest < int64_t(1) << 31 && bias >= integerMin(bits, true) &&
         bias <= integerMax(bits, true);
}

bool WinogradLayer::quantize() {
  // Ranges of channels depend on one another where multipliers share a shift,
  // so all are quantized anew when one must be wider. The loop ends: each turn
  // but the last lowers some `finest`.
  while (true) {
    computeScales();
    parallelFor(channels, [&](std::size_t c) { quantizeChannel(c); });
    clearLowBiasBits(result.biases, layer.options.biasEffectiveBits);
    bool again = false;
    for (std::size_t c = 0; c < channels; ++c) {
      if (fits(c))
        continue;
      unsigned largestShift = *std::ranges::max_element(shiftsOf(c));
      if (largestShift == 0)
        return false;
      assert(largestShift <= finest[c] && "no scale is finer than asked for");
      finest[c] = largestShift - 1;
      again = true;
    }
    if (again)
      continue;
    result.weights = packed(integerType(linear.weightBits, true), weights);
    return requantFits(result.params);
  }
}

bool quantizeWinograd(LayerContext &layer, const LinearLayer &linear) {
  assert(isWinogradCandidate(layer.op));
  if (linear.input.bits > 8 || linear.output.bits > 8 || linear.weightBits > 8)
    return quantizeLinear(layer, linear);
  auto constants = linearConstants(layer, linear);
  if (!constants)
    return false;
  WinogradLayer winograd(layer, linear, *constants);
  if (!winograd.quantize())
    return quantizeLinear(layer, linear);
  setLinear(layer, linear, winograd.result);
  layer.setFlag(keys::with_winograd, true);
  const WinogradTile &tile = winogradTile(layer.options.winograd);
  const WinogradMatrices &y = tile.y, &x = tile.x;
  if (layer.options.winograd == WinogradTransform::F2_3)
    layer.setInts(keys::Fmnrs, {x.outputs, x.kernel});
  else
    layer.setInts(keys::Fmnrs, {x.outputs, y.outputs, x.kernel, y.kernel});
  layer.setInt(keys::kernel_x, x.tile());
  layer.setInt(keys::kernel_y, y.tile());
  layer.setInt(keys::stride_x, x.outputs);
  layer.setInt(keys::stride_y, y.outputs);
  std::vector<int64_t> shifts(winograd.shifts.begin(), winograd.shifts.end());
  if (std::ranges::any_of(shifts, [](int64_t s) { return s != 0; }))
    layer.setTensor(keys::winograd_tap_shift,
                    {winograd.result.shape[0], y.tile(), x.tile()}, DType::U8,
                    shifts);
  return true;
}

} // namespace yarrow
