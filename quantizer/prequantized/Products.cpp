//===- Products.cpp - Layers that multiply by the model's weights ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Compat.h"
#include "dialects/compass/ConstantValues.h"
#include "dialects/compass/ExtraKeys.h"
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/Locations.h"
#include "quantizer/prequantized/FloatRequant.h"
#include "quantizer/prequantized/Forms.h"
#include "support/diagnostics/Quantizer.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

using namespace yarrow;
using namespace yarrow::compass;

namespace {

/// What the model says of its weights, a filter in each row.
struct Filters {
  ConstantView view;
  int64_t count = 0, length = 0;
  ConstantMeaning meaning;

  int64_t weight(int64_t f, int64_t i) const {
    return view.intAt(f * length + i) - meaning.zeroPointAt(size_t(f));
  }
};

/// The sums of a filter's weights: as they are, of their magnitudes, and of
/// those of the stored integers.
struct WeightSums {
  int64_t plain = 0, magnitudes = 0, stored = 0;
};

WeightSums sumsOf(const Filters &filters, int64_t f) {
  WeightSums sums;
  for (int64_t i = 0; i < filters.length; ++i) {
    int64_t w = filters.weight(f, i); // 17 bits at most; < 2^40 of them
    sums.plain += w;
    sums.magnitudes += std::abs(w);
    sums.stored += std::abs(filters.view.intAt(f * filters.length + i));
  }
  return sums;
}

} // namespace

static std::optional<Filters> filtersOf(PrequantizedLayer &layer) {
  Filters f;
  mlir::ElementsAttr attr = tensorKey(layer.op, keys::weights);
  auto view = attr ? viewConstant(attr) : std::nullopt;
  if (!view || dtypeIsFloat(view->dtype) || view->numElements() == 0) {
    layer.why = "its weights are floats";
    return std::nullopt;
  }
  f.view = *view;
  f.count = view->shape[0];
  f.length = view->numElements() / f.count;
  auto meaning = meaningOf(layer.op, "weights");
  auto fits = [&](size_t n) { return n <= 1 || int64_t(n) == f.count; };
  if (!meaning || !fits(meaning->steps.size()) ||
      !fits(meaning->zeroPoints.size())) {
    layer.why = "its weights have scales along an axis that is not the output "
                "channels'";
    return std::nullopt;
  }
  f.meaning = std::move(*meaning);
  return f;
}

/// Biases of other scales than the products' become integers of that scale.
/// TFLite takes those within a fiftieth of the result's step as they are.
/// nullopt of more than 47 bits: multipliers have 15 of the 63 then.
static std::optional<int64_t> biasAt(const ConstantView &biases,
                                     double biasStep, double productStep,
                                     double outputStep, int64_t channel) {
  constexpr double kOfOutputStep = 0.02;
  double steps;
  if (dtypeIsFloat(biases.dtype))
    steps = std::nearbyint(biases.floatAt(channel) / productStep);
  else if (std::abs(biasStep - productStep) <= kOfOutputStep * outputStep)
    steps = double(biases.intAt(channel)); // exact below 2^53
  else
    steps =
        std::nearbyint(double(biases.intAt(channel)) * biasStep / productStep);
  return std::abs(steps) < 0x1p47 ? std::optional(int64_t(steps))
                                  : std::nullopt;
}

static bool scalesDoNotFit(PrequantizedLayer &layer, const std::string &found) {
  layer.diags
      .report(
          diag::PrequantizedScales, placeOf(layer.op->getLoc()),
          "the scales of input, weights and output do not allow a multiplier")
      .found(found)
      .expected("input scale * weights scale / output scale below 2^31");
  return layer.hasNoForm("its scales do not fit");
}

namespace {
/// What a layer's channels get.
struct Channels {
  std::vector<int64_t> biases;
  std::vector<Multiplier> multipliers;
  bool isWideBias = false, isWideMultiplier = false;
};
} // namespace

/// What TFLite stores in 16 bits: its kernels' multipliers have 15 bits.
static bool isTflite16(const StoredTensor &in) {
  return in.type.bits() > 8 && in.lo < 0 && in.zero == 0;
}

/// The most bits of a multiplier whose products with sums of up to \p mostSum
/// have 62 bits.
static unsigned multiplierBits(uint64_t mostSum) {
  unsigned sumBits = llvm::Log2_64_Ceil(std::max<uint64_t>(mostSum, 1));
  return std::min(62 - std::min(sumBits, 47u), 31u);
}

/// How the sums of a channel come to the result's steps. With sums of 48 bits
/// (16-bit inputs) the product with a multiplier may leave it \p bits alone; 15
/// it has where weights could lead sums of 8-bit inputs out of 32 bits, which
/// TFLite would let wrap. XNNPACK computes the ratio in single precision, too;
/// TFLite's own kernels in double.
static std::optional<Multiplier> multiplierFor(const PrequantizedLayer &layer,
                                               const StoredTensor &in,
                                               double weightStep,
                                               int64_t mostSum, unsigned bits) {
  const StoredTensor &out = layer.output;
  double ratio = in.step * weightStep / out.step;
  if (isTflite16(in))
    return reducedMultiplierOf(ratio);
  if (in.type.bits() > 8)
    return multiplierOf(ratio, bits);
  if (mostSum > INT32_MAX)
    return multiplierOf(ratio, 15);
  if (layer.options.rounding == PrequantizedRounding::Reference)
    return multiplierOf(ratio);
  float single = float(in.step) * float(weightStep) / float(out.step);
  auto plain = multiplierOf(ratio);
  if (!plain || !std::isnormal(single))
    return plain;
  auto like = multiplierLikeFloat(single, out.lo - out.zero, out.hi - out.zero,
                                  mostSum);
  return like ? std::optional(like->multiplier) : std::nullopt;
}

static bool fillChannels(PrequantizedLayer &layer, const Filters &filters,
                         const StoredTensor &in, Channels &channels) {
  mlir::ElementsAttr attr = tensorKey(layer.op, keys::biases);
  auto biases = attr ? viewConstant(attr) : std::nullopt;
  auto biasMeaning = meaningOf(layer.op, "biases");
  int64_t outputs = biases ? biases->numElements() : filters.count;
  auto [typeLo, typeHi] = dtypeRange(in.type);
  int64_t mostInput =
      std::max(std::abs(typeLo - in.zero), std::abs(typeHi - in.zero));
  int64_t mostStored = std::max({-typeLo, typeHi, std::abs(in.zero)});
  std::vector<WeightSums> sums;
  std::vector<int64_t> mostSums;
  uint64_t mostProducts = 0, mostBias = 0;
  for (int64_t f = 0; f < filters.count; ++f) {
    sums.push_back(sumsOf(filters, f));
    mostProducts =
        std::max({mostProducts, uint64_t(mostStored * sums.back().stored),
                  uint64_t(mostInput * sums.back().magnitudes)});
  }
  for (int64_t c = 0; c < outputs; ++c) {
    int64_t f = c % filters.count; // groups of a transposed layer share them
    double weightStep = filters.meaning.stepAt(size_t(f));
    double product = in.step * weightStep;
    double biasStep = biasMeaning ? biasMeaning->stepAt(size_t(c)) : product;
    std::optional<int64_t> stored =
        biases ? biasAt(*biases, biasStep, product, layer.output.step, c) : 0;
    if (!stored)
      return layer.hasNoForm(
          "a bias has more than 47 bits in the scale of the products");
    int64_t bias = *stored;
    mostSums.push_back(std::abs(bias) + mostInput * sums[size_t(f)].magnitudes);
    // Padding stores the zero point, which the bias takes out again.
    bias -= in.zero * sums[size_t(f)].plain;
    mostBias = std::max(mostBias, uint64_t(std::abs(bias)));
    channels.isWideBias |= !llvm::isInt<32>(bias);
    channels.biases.push_back(bias);
  }
  unsigned bits = multiplierBits(mostProducts + mostBias);
  for (int64_t c = 0; c < outputs; ++c) {
    double weightStep = filters.meaning.stepAt(size_t(c % filters.count));
    auto m = multiplierFor(layer, in, weightStep, mostSums[size_t(c)], bits);
    if (!m)
      return scalesDoNotFit(layer, std::to_string(in.step) + ", " +
                                       std::to_string(weightStep) + ", " +
                                       std::to_string(layer.output.step));
    channels.isWideMultiplier |= m->scale > UINT16_MAX;
    channels.multipliers.push_back(*m);
  }
  return true;
}

/// Scales and zero points as integer IR has them: values per step, added.
static void describeConstants(mlir::Operation *op, const Filters &filters,
                              const StoredTensor &in, size_t outputs) {
  mlir::NamedAttrList constants;
  auto setScales = [&](const std::string &key, std::vector<float> scales) {
    constants.set(key, makeConstantOf<float>(op->getContext(), key,
                                             {int64_t(scales.size())},
                                             DType::F32, scales));
  };
  std::vector<float> weights, biases;
  for (int64_t f = 0; f < filters.count; ++f)
    weights.push_back(float(1 / filters.meaning.stepAt(size_t(f))));
  for (size_t c = 0; c < outputs; ++c)
    biases.push_back(float(1 / in.step) * weights[c % weights.size()]);
  setScales("weights_scale", std::move(weights));
  setScales("biases_scale", std::move(biases));
  std::vector<int32_t> added;
  for (int64_t zero : filters.meaning.zeroPoints)
    added.push_back(int32_t(-zero));
  if (added.empty())
    added.push_back(0);
  constants.set("weights_zp", makeConstantOf<int32_t>(
                                  op->getContext(), "weights_zp",
                                  {int64_t(added.size())}, DType::I32, added));
  op->setAttr(kExtraConstantsAttr, constants.getDictionary(op->getContext()));
  dropExtraKeys(op, {"weights_scale", "weights_zp", "weights_range",
                     "biases_scale", "biases_zp", "biases_range"});
}

bool yarrow::giveProduct(PrequantizedLayer &layer) {
  auto in = layer.input(0);
  if (!in)
    return layer.hasNoForm("its input is not stored");
  auto filters = filtersOf(layer);
  if (!filters)
    return false;
  Channels channels;
  if (!fillChannels(layer, *filters, *in, channels))
    return false;
  layer.setTensor(keys::biases, {int64_t(channels.biases.size())},
                  channels.isWideBias || in->type.bits() > 8 ? DType::I64
                                                             : DType::I32,
                  channels.biases);
  layer.setChannelRequants(channels.multipliers, channels.isWideMultiplier);
  describeConstants(layer.op, *filters, *in, channels.biases.size());
  if (isTflite16(*in))
    layer.setWord(keys::requant_rounding, "HALF_UP");
  else if (in->type.bits() <= 8 &&
           layer.options.rounding == PrequantizedRounding::Reference)
    layer.setWord(keys::requant_rounding, "DOUBLE");
  return true;
}

bool yarrow::giveMatMul(PrequantizedLayer &layer) {
  auto a = layer.input(0), b = layer.input(1);
  if (!a || !b)
    return layer.hasNoForm("an operand is not stored");
  if (a->type.bits() > 8 || b->type.bits() > 8)
    return layer.hasNoForm("its operands have more than 8 bits");
  double factor = 1;
  if (auto fused = numberOf(layer.op->getAttr(keys::fused_multiplier)))
    factor = *fused;
  double ratio = a->step * b->step * factor / layer.output.step;
  auto m = ratio > 0 ? multiplierOf(ratio) : std::nullopt;
  if (!m)
    return layer.hasNoForm("its factor is not positive");
  layer.op->removeAttr(keys::fused_multiplier);
  layer.setRequant(*m);
  return true;
}
