//===- MeanVariance.cpp - LayerNorm and its kin ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Layers that give each group of values the mean 0 and the variance 1, or the
// mean square 1 (docs/operators/norm.md).
//
//===----------------------------------------------------------------------===//

#include "dialects/compass/LayerAxes.h"
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/norm/NormOps.h"
#include "quantizer/math/Lut.h"
#include "quantizer/rules/Linear.h"
#include "quantizer/rules/NormRules.h"
#include "quantizer/rules/Rules.h"

#include <algorithm>
#include <cmath>

using namespace yarrow::compass;

namespace yarrow {

/// The normalised value's scale, and what makes it of a difference.
namespace {
struct Normalized {
  LinearParams params;
  int64_t varShift = 0;
  ScaleApproximation factor;
};
} // namespace

/// With 16 bits the reference rounds 2^15 / deviation to an integer: of a
/// deviation in thousands of steps 3 or 4 remains, 20 dB. The error of the
/// factor is as large as that of the input's rounding where the deviation has
/// 2^7.5 steps, about an eighth of what 12 bits reach. Headroom takes a bit
/// more: of the InstanceNorms of a style transfer 42 to 47 dB, 37 to 42 with 11
/// bits. So they come through a Cast.
static constexpr unsigned kInputBits = 12;
static unsigned inputBits(const LayerContext &layer) {
  return kInputBits +
         unsigned(std::ceil(std::log2(layer.options.wideRangeHeadroom)));
}

/// The input with so many bits, over its range divided by \p headroom.
static void castTo(LayerContext &layer, unsigned bits, float headroom) {
  LinearParams in = layer.input(0);
  auto value = [&](int64_t q) {
    return float(q + in.zp) / in.scale / headroom;
  };
  layer.castInput(0, linearParams(value(in.qmin), value(in.qmax),
                                  layer.options.activationMethod.mode, bits,
                                  /*isSigned=*/true));
}

static void narrowInput(LayerContext &layer) {
  LinearParams in = layer.input(0);
  unsigned bits = inputBits(layer);
  if (in.bits > bits && in.qmax - in.qmin >= int64_t(1) << bits)
    castTo(layer, bits, /*headroom=*/1);
}

/// Where a mean is subtracted the normalised value has the result's type, and 8
/// bits over +-sqrt(n) are one step for each deviation, but in the form of
/// 8-bit inputs.
static void narrowLikeResult(LayerContext &layer) {
  if (layer.input(0).bits > 8 && layer.options.activationBits <= 8)
    castTo(layer, 8, layer.options.wideRangeHeadroom);
  else
    narrowInput(layer);
}

/// Epsilon in squares of the input's steps.
static double epsilonInSteps(const LayerContext &layer) {
  double scale = layer.input(0).scale;
  double epsilon = floatKey(layer.op, keys::epsilon) * scale * scale;
  return layer.options.keepsDigits ? epsilon : 0;
}

/// Whether integers have room for it: the table of inverse roots ends at 2^31.
/// Before anything is changed; the layer stays in floats if they have none.
static bool hasRoomForEpsilon(LayerContext &layer) {
  int excess = std::max(0, int(layer.input(0).bits) - int(inputBits(layer)));
  if (epsilonInSteps(layer) * std::exp2(-2.0 * excess) <= 0x1p30)
    return true;
  return layer.stayInFloats(
      "epsilon is far larger than the squares of all values",
      "this layer nearly multiplies its input by a constant");
}

/// Has the layer add epsilon to its sums of \p terms squares.
static void setEpsilon(LayerContext &layer, int64_t terms) {
  auto sum = int64_t(std::llround(epsilonInSteps(layer) * double(terms)));
  if (sum <= 0)
    return;
  layer.setInt(keys::epsilon_sum_value, sum);
  layer.setExtra("epsilon_sum_type", sum <= UINT32_MAX ? "uint32" : "int64");
}

/// The largest normalised value, as far as the range of what follows on it
/// tells: y = n * weight + bias. Channels of small weights are left out: if
/// their values are cut off, the result hardly shows it.
static double mostNormalized(const LayerContext &layer, int64_t n) {
  double most = std::sqrt(double(n));
  auto weights = layer.floats(keys::weights),
       biases = layer.floats(keys::biases);
  if (!layer.options.keepsDigits)
    return most;
  FloatRange y = layer.extrema();
  if (!weights)
    weights.emplace().values = {1};
  if (!biases)
    biases.emplace().values = {0};
  double mean = 0, seen = 0;
  for (float w : weights->values)
    mean += std::fabs(w) / double(weights->values.size());
  for (std::size_t i = 0; i < weights->values.size(); ++i) {
    double w = std::fabs(weights->values[i]);
    double b = biases->values[i % biases->values.size()];
    if (w > 0 && w >= mean / 2)
      seen = std::max({seen, (y.max - b) / w, (b - y.min) / w});
  }
  // Of one channel's pixels hardly any lie so far out; channels do, which a
  // LayerNorm normalises together.
  constexpr double kMostOfPixels = 16;
  if (llvm::isa<InstanceNormOp>(layer.op))
    seen = std::min(seen, kMostOfPixels);
  return seen > 0 ? std::min(most, seen) : most;
}

/// n values of variance 1 lie within +-sqrt(n).
static Normalized normalizedOf(LayerContext &layer, int64_t n, RangeMode mode) {
  // The form is that of the input's width, and has no more bits than it.
  bool isNarrow = layer.input(0).bits <= 8;
  unsigned bits = isNarrow ? 8 : layer.options.activationBits;
  double bound = std::sqrt(double(n));
  int halvings = 0; // of the bound, where 8 bits would leave no fraction
  if (isNarrow && bound > 127)
    halvings = int(std::ceil(std::log2(127.5 / bound / 4)));
  if (double most = mostNormalized(layer, n); isNarrow && most < bound)
    halvings = std::min(halvings, -int(std::log2(bound / most)));
  bound *= std::exp2(halvings);
  Normalized result;
  result.params =
      linearParams(float(-bound), float(bound), mode, bits, /*isSigned=*/true);
  if (!isNarrow) {
    result.factor = layer.approximate(result.params.scale / 127, bits);
    return result;
  }
  // The sum of squares of n 8-bit differences, shifted to 31 bits with 6 bits
  // to spare; even, as its root is shifted by half. Sums of 4 and fewer have
  // the room anyway: there is no shift to the left.
  int varShift = int(std::ceil(std::log2(double(n)))) + 30 - 31 - (6 >> 1);
  result.varShift = std::max(0, varShift + (varShift & 1));
  // Where epsilon is above all squares their sum has more bits, and its inverse
  // root fewer.
  double deviation = std::sqrt(epsilonInSteps(layer));
  if (deviation > 64)
    result.varShift += 2 * int64_t(std::ceil(std::log2(deviation / 64)));
  result.factor = {.multiplier = 1,
                   .shift = int32_t(result.varShift >> 1) + halvings};
  return result;
}

static void setVarShift(LayerContext &layer, int64_t varShift) {
  layer.setInt(keys::var_shift_value, varShift);
  layer.setExtra("var_shift_type", "uint8");
}

static void setFactor(LayerContext &layer, const ScaleApproximation &factor,
                      bool isShiftSigned) {
  layer.setInt(keys::norm_scale_value, factor.multiplier);
  layer.setInt(keys::norm_shift_value, factor.shift);
  layer.setExtra(
      "norm_scale_type",
      multiplierType(isShiftSigned ? layer.options.activationBits : 8));
  isShiftSigned |= factor.shift < 0;
  layer.setExtra("norm_shift_type", isShiftSigned ? "int8" : "uint8");
}

void setInverseSqrtTable(LayerContext &layer) {
  layer.setTensor(keys::lut, {193}, DType::I16, inverseSqrtTable());
}

/// One value after the other; the shape that they had.
static std::vector<int64_t> flatten(LayerContext &layer, TensorKey key) {
  auto values = layer.floats(key);
  if (!values || values->shape.size() == 1)
    return {};
  std::vector<char> bytes(values->values.size() * sizeof(float));
  std::memcpy(bytes.data(), values->values.data(), bytes.size());
  layer.op->setAttr(key, makeConstant(layer.op->getContext(), key,
                                      {int64_t(values->values.size())},
                                      DType::F32, std::move(bytes)));
  return values->shape;
}

/// Quantizes weights and biases, which follow on \p normalized. Each weight is
/// a channel, along however many axes they are.
static bool quantizeAffine(LayerContext &layer, const LinearParams &normalized,
                           const LinearParams &output, bool unifiesShifts) {
  LinearLayer linear;
  linear.input = normalized;
  linear.output = output;
  linear.weightBits = layer.options.weightBits;
  linear.unifyShifts = unifiesShifts;
  linear.absorbInputZp = false;
  std::vector<int64_t> shape = flatten(layer, keys::weights);
  flatten(layer, keys::biases);
  bool hasBiases = layer.floats(keys::biases).has_value();
  if (!quantizeLinear(layer, linear))
    return false;
  if (!hasBiases)
    layer.remove(keys::biases);
  if (shape.empty())
    return true;
  auto weights = viewConstant(
      mlir::cast<mlir::ElementsAttr>(layer.op->getAttr(keys::weights)));
  layer.op->setAttr(
      keys::weights,
      makeConstant(layer.op->getContext(), "weights", shape, weights->dtype,
                   {weights->bytes.begin(), weights->bytes.end()}));
  return true;
}

/// Values that are normalised together along the key `axis`.
static int64_t termsAlongAxes(const LayerContext &layer) {
  auto shape = layer.shapeOf(layer.op->getOperand(0));
  int64_t n = 1;
  if (auto axes = axesKey(layer.op, int64_t(shape.size()));
      mlir::succeeded(axes))
    for (int64_t axis : *axes)
      n *= shape[std::size_t(axis)];
  return n;
}

/// Of one image.
static int64_t termsOfImage(const LayerContext &layer) {
  auto shape = layer.shapeOf(layer.op->getOperand(0));
  return describe(layer.op->getOperand(0)).numElements() / shape.front();
}

/// The normalised value is the result: its factor holds the result's scale.
bool quantizeMvn(LayerContext &layer) {
  if (!hasRoomForEpsilon(layer))
    return false;
  narrowLikeResult(layer);
  setEpsilon(layer, termsAlongAxes(layer));
  unsigned bits = layer.options.activationBits;
  Normalized n =
      normalizedOf(layer, termsAlongAxes(layer), RangeMode::SymmetricFull);
  LinearParams out = layer.outputParams(/*isSigned=*/true);
  ScaleApproximation toResult =
      layer.approximate(out.scale / n.params.scale, bits);
  // The reference multiplies in double and then approximates in float32.
  ScaleApproximation both =
      layer.approximate(float(n.factor.multiplier * toResult.value()), bits);
  both.shift += n.factor.shift;
  setVarShift(layer, n.varShift);
  layer.setRequant(both, bits);
  layer.setExtra("shift_type", both.shift < 0 ? "int8" : "uint8");
  setInverseSqrtTable(layer);
  layer.setOutput(0, out);
  return true;
}

/// Both widths by the factor of 16 bits, and a range of all integers.
bool quantizeRmsNorm(LayerContext &layer) {
  if (!hasRoomForEpsilon(layer))
    return false;
  narrowInput(layer);
  setEpsilon(layer, termsAlongAxes(layer));
  unsigned bits = layer.options.activationBits;
  auto bound = float(mostNormalized(layer, termsAlongAxes(layer)));
  LinearParams normalized = linearParams(
      -bound, bound, RangeMode::SymmetricFull, bits, /*isSigned=*/true);
  LinearParams out = layer.outputParams(/*isSigned=*/true);
  setFactor(layer, layer.approximate(normalized.scale / 127, bits),
            /*isShiftSigned=*/true);
  if (layer.floats(keys::weights)) {
    if (!quantizeAffine(layer, normalized, out, /*unifiesShifts=*/false))
      return false;
  } else {
    layer.setRequant(layer.approximate(out.scale / normalized.scale, bits),
                     bits);
  }
  setInverseSqrtTable(layer);
  layer.setOutput(0, out);
  return true;
}

/// \p terms values are normalised together, then weighted.
static bool quantizeWeighted(LayerContext &layer, int64_t terms,
                             bool unifiesShifts) {
  if (!hasRoomForEpsilon(layer))
    return false;
  narrowLikeResult(layer);
  if (!layer.floats(keys::weights) || !layer.floats(keys::biases))
    return layer.unsupported(recordOf(layer.op)->layerType.str() +
                             " needs constant weights and biases");
  setEpsilon(layer, terms);
  Normalized n =
      normalizedOf(layer, terms, layer.options.activationMethod.mode);
  LinearParams out = layer.outputParams(/*isSigned=*/true);
  setVarShift(layer, n.varShift);
  setFactor(layer, n.factor,
            /*isShiftSigned=*/layer.input(0).bits > 8);
  if (!quantizeAffine(layer, n.params, out, unifiesShifts))
    return false;
  setInverseSqrtTable(layer);
  layer.setOutput(0, out);
  return true;
}

bool quantizeLayerNorm(LayerContext &layer) {
  return quantizeWeighted(layer, termsAlongAxes(layer),
                          /*unifiesShifts=*/false);
}

bool quantizeInstanceNorm(LayerContext &layer) {
  int64_t channels = layer.shapeOf(layer.op->getOperand(0)).back();
  return quantizeWeighted(layer, termsOfImage(layer) / channels,
                          /*unifiesShifts=*/false);
}

bool quantizeGroupNorm(LayerContext &layer) {
  return quantizeWeighted(layer,
                          termsOfImage(layer) / intKey(layer.op, keys::group),
                          /*unifiesShifts=*/true);
}

} // namespace yarrow
