//===- ErrorSplit.cpp - Where the error of a layer comes from -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/metrics/ErrorSplit.h"

#include "dialects/compass/ChannelFactors.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/ExtraKeys.h"
#include "dialects/compass/Layers.h"
#include "quantizer/calibrate/TensorValues.h"
#include "quantizer/channels/ChannelWeights.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

using namespace yarrow;
using namespace yarrow::compass;

const char *yarrow::errorPartName(ErrorPart part) {
  static constexpr const char *kNames[] = {
      "inherited",  "weight_round", "weight_clip",  "bias",
      "multiplier", "output_clip",  "output_round", "method"};
  static_assert(std::size(kNames) == kErrorParts);
  return kNames[std::size_t(part)];
}

double ErrorParts::interaction() const {
  return total - std::accumulate(energy.begin(), energy.end(), 0.0);
}

ErrorPart ErrorParts::largest() const {
  return ErrorPart(std::max_element(energy.begin(), energy.end()) -
                   energy.begin());
}

void ErrorParts::merge(const ErrorParts &other) {
  for (std::size_t i = 0; i < kErrorParts; ++i)
    energy[i] += other.energy[i];
  total += other.total;
  signal += other.signal;
  multiplierError = std::max(multiplierError, other.multiplierError);
}

static std::optional<ConstantView> viewTensor(mlir::Operation *op,
                                              TensorKey key) {
  mlir::ElementsAttr attr = tensorKey(op, key);
  return attr ? viewConstant(attr) : std::nullopt;
}

namespace {

/// The integer layer's constants as real numbers.
struct IntegerConstants {
  std::vector<float> rounded, clipped, biases, multiplierRatio;
  bool clipsWeights = false;
};

/// m / 2^s by channel, or one for all.
std::vector<double> multipliers(mlir::Operation *op) {
  std::vector<double> found;
  auto scale = viewTensor(op, keys::scale), shift = viewTensor(op, keys::shift);
  if (scale && shift && scale->numElements() == shift->numElements())
    for (int64_t i = 0; i < scale->numElements(); ++i)
      found.push_back(
          std::ldexp(double(scale->intAt(i)), -int(shift->intAt(i))));
  llvm::SmallVector<int64_t> m = intsKey(op, keys::scale_value),
                             s = intsKey(op, keys::shift_value);
  if (found.empty() && m.size() == 1 && s.size() == 1)
    found.push_back(std::ldexp(double(m[0]), -int(s[0])));
  return found;
}

} // namespace

/// Nullopt if the layer's constants are of another form.
static std::optional<IntegerConstants> constantsOf(mlir::Operation *floatOp,
                                                   mlir::Operation *intOp) {
  auto real = viewTensor(floatOp, keys::weights),
       stored = viewTensor(intOp, keys::weights),
       bias = viewTensor(intOp, keys::biases);
  TensorInfo in = describe(intOp->getOperand(0)),
             out = describe(intOp->getResult(0));
  llvm::SmallVector<double> scales = extraNumbers(intOp, "weights_scale");
  std::vector<double> multiplier = multipliers(intOp);
  if (!real || !stored || !bias || real->shape != stored->shape ||
      !in.isQuantized() || !out.isQuantized() || scales.empty() ||
      multiplier.empty() || stored->shape.empty() || stored->shape[0] == 0)
    return std::nullopt;
  int64_t count = stored->numElements(), filters = stored->shape[0],
          perFilter = count / filters, channels = bias->numElements();
  auto at = [](llvm::ArrayRef<double> v, int64_t i) {
    return v[std::size_t(i) % v.size()];
  };
  IntegerConstants c;
  int64_t least = 0, largest = 0;
  for (int64_t i = 0; i < count; ++i) {
    least = std::min(least, stored->intAt(i));
    largest = std::max(largest, stored->intAt(i));
  }
  std::vector<double> sums(std::size_t(filters), 0.0);
  for (int64_t i = 0; i < count; ++i) {
    double scale = at(scales, i / perFilter), q = double(stored->intAt(i)),
           wanted = real->floatAt(i) * scale;
    // Beyond the largest that is there, a weight was clipped.
    bool isClipped = (q == double(largest) && wanted > q + 0.5) ||
                     (q == double(least) && wanted < q - 0.5);
    c.clipsWeights |= isClipped;
    c.rounded.push_back(
        float((isClipped ? std::nearbyint(wanted) : q) / scale));
    c.clipped.push_back(float(q / scale));
    sums[std::size_t(i / perFilter)] += q;
  }
  for (int64_t i = 0; i < channels; ++i) {
    double scale = double(in.scale) * at(scales, i % filters);
    // The input's zero point is part of the integer bias.
    double b =
        double(bias->intAt(i)) - double(in.zp) * sums[std::size_t(i % filters)];
    c.biases.push_back(float(b / scale));
    c.multiplierRatio.push_back(
        float(at(multiplier, i) * scale / double(out.scale)));
  }
  return c;
}

static mlir::ElementsAttr floatConstant(mlir::Operation *op, const char *name,
                                        llvm::ArrayRef<int64_t> shape,
                                        llvm::ArrayRef<float> values) {
  return makeConstantOf<float>(op->getContext(),
                               (layerNameOf(op) + "." + name).str(), shape,
                               DType::F32, values);
}

/// The program of \p op with other constants.
static mlir::FailureOr<BoundProgram> programWith(mlir::Operation *op,
                                                 mlir::ElementsAttr weights,
                                                 mlir::ElementsAttr biases) {
  mlir::Operation *changed = op->clone();
  changed->setAttr(keys::weights, weights);
  if (biases)
    changed->setAttr(keys::biases, biases);
  auto program = BoundProgram::create(changed);
  changed->erase();
  return program;
}

/// \p floatOp with the channels of the integer layer. Null where that cannot
/// be.
static mlir::OwningOpRef<mlir::Operation *>
withChannelsOf(mlir::Operation *floatOp, mlir::Operation *intOp) {
  mlir::OwningOpRef<mlir::Operation *> scaled(floatOp->clone());
  llvm::SmallVector<double> in = channelFactors(intOp->getOperand(0)),
                            out = channelFactors(intOp->getResult(0));
  if (in.empty() && out.empty())
    return scaled;
  auto weights = ChannelWeights::of(*scaled);
  if (!weights || (!in.empty() && in.size() != weights->inputs()) ||
      (!out.empty() && out.size() != weights->outputs()))
    return nullptr;
  for (std::size_t c = 0; c < in.size(); ++c)
    weights->scaleInput(c, float(1 / in[c]));
  for (std::size_t c = 0; c < out.size(); ++c)
    weights->scaleOutput(c, float(out[c]));
  weights->store();
  return scaled;
}

std::optional<SplitLayer> SplitLayer::create(mlir::Operation *floatOp,
                                             mlir::Operation *intOp) {
  if (floatOp->getNumOperands() != 1 || floatOp->getNumResults() != 1 ||
      intOp->getNumOperands() != 1 ||
      describe(floatOp->getOperand(0)).numElements() !=
          describe(intOp->getOperand(0)).numElements() ||
      describe(floatOp->getResult(0)).numElements() !=
          describe(intOp->getResult(0)).numElements() ||
      describe(floatOp->getOperand(0)).dtype != DType::F32 ||
      describe(floatOp->getResult(0)).dtype != DType::F32)
    return std::nullopt;
  auto scaled = withChannelsOf(floatOp, intOp);
  if (!scaled)
    return std::nullopt;
  floatOp = *scaled;
  auto constants = constantsOf(floatOp, intOp);
  if (!constants)
    return std::nullopt;
  auto shape = viewTensor(floatOp, keys::weights)->shape;
  mlir::ElementsAttr rounded = floatConstant(floatOp, "weights", shape,
                                             constants->rounded),
                     clipped = constants->clipsWeights
                                   ? floatConstant(floatOp, "weights", shape,
                                                   constants->clipped)
                                   : rounded,
                     biases = floatConstant(floatOp, "biases",
                                            {int64_t(constants->biases.size())},
                                            constants->biases);
  auto asIs = BoundProgram::create(floatOp);
  auto withRounded = programWith(floatOp, rounded, nullptr),
       withClipped = programWith(floatOp, clipped, nullptr),
       withBias = programWith(floatOp, clipped, biases);
  if (mlir::failed(asIs) || mlir::failed(withRounded) ||
      mlir::failed(withClipped) || mlir::failed(withBias))
    return std::nullopt;
  SplitLayer split;
  split.asIs = std::move(*asIs);
  split.rounded = std::move(*withRounded);
  split.clipped = std::move(*withClipped);
  split.withBias = std::move(*withBias);
  split.clipsWeights = constants->clipsWeights;
  split.result = describe(intOp->getResult(0));
  split.multiplierRatio = std::move(constants->multiplierRatio);
  for (float ratio : split.multiplierRatio)
    split.multiplierError =
        std::max(split.multiplierError, std::fabs(double(ratio) - 1));
  std::string activation = wordKey(floatOp, keys::with_activation, "NONE");
  if (activation == "RELU6")
    split.activationMax = 6.0f;
  if (activation == "CLIP")
    if (auto max = numberOf(floatOp->getAttr(keys::clip_max)))
      split.activationMax = float(*max);
  return split;
}

std::vector<float> SplitLayer::run(const BoundProgram &program,
                                   std::span<const float> input) const {
  std::vector<float> output(std::size_t(result.numElements()));
  program.run({reinterpret_cast<const char *>(input.data())},
              {reinterpret_cast<char *>(output.data())});
  return output;
}

static double energyOf(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    double d = double(a[i]) - double(b[i]);
    sum += d * d;
  }
  return sum;
}

void SplitLayer::add(std::span<const float> input,
                     std::span<const float> floatResult,
                     std::span<const float> intResult,
                     ErrorParts &parts) const {
  std::vector<float> now(floatResult.begin(), floatResult.end());
  auto step = [&](ErrorPart part, std::vector<float> next) {
    parts.energy[std::size_t(part)] += energyOf(now, next);
    now = std::move(next);
  };
  step(ErrorPart::Inherited, run(asIs, input));
  step(ErrorPart::WeightRound, run(rounded, input));
  if (clipsWeights)
    step(ErrorPart::WeightClip, run(clipped, input));
  step(ErrorPart::Bias, run(withBias, input));
  std::vector<float> next = now;
  for (std::size_t i = 0; i < next.size(); ++i)
    if (!activationMax || next[i] < *activationMax)
      next[i] *= multiplierRatio[i % multiplierRatio.size()];
  step(ErrorPart::Multiplier, next);
  float lo = float((double(result.lo) + result.zp) / result.scale),
        hi = float((double(result.hi) + result.zp) / result.scale);
  for (float &x : next)
    x = std::clamp(x, lo, hi);
  step(ErrorPart::OutputClip, next);
  std::vector<char> stored = storedValues(result, next);
  FloatValues onGrid(result, stored);
  step(ErrorPart::OutputRound, {onGrid.get().begin(), onGrid.get().end()});
  step(ErrorPart::Method, {intResult.begin(), intResult.end()});
  parts.total += energyOf(floatResult, intResult);
  parts.signal += energyOf(floatResult, std::vector<float>(floatResult.size()));
  parts.multiplierError = std::max(parts.multiplierError, multiplierError);
}
