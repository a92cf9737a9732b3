//===- Bias.cpp - Biases in the steps of products -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/operators/Products.h"
#include "support/diagnostics/Import.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

using namespace yarrow;
using namespace yarrow::qnn;
using graph::Constant;
using graph::Quantization;
using graph::Tensor;

namespace {

/// Biases as integers of the products' steps, and what became of them.
struct StoredBias {
  std::vector<std::int64_t> steps;
  /// Of any of them, in steps of the result.
  double largestError = 0;
  bool isRounded = false, isClipped = false;
};

} // namespace

/// Whether integers are multiplied: those of x by weights with a scale for the
/// whole tensor or for each output.
static bool areIntegers(const OpReader &r, const Tensor &x,
                        const Tensor &weights, std::int64_t outputAxis) {
  const Tensor *y = r.output(0);
  return x.quantization && !x.constant && weights.constant &&
         weights.quantization && y && y->quantization &&
         elementBytes(weights.quantization->stored) <= 2 &&
         (weights.quantization->isPerTensor() ||
          weights.quantization->axis == outputAxis);
}

/// Element \p i as the file means it. A product of 32 and 24 bits is exact to
/// 2^-53 of it, which is less than any scale says.
static double realBias(const Tensor &bias, std::int64_t i) {
  if (!bias.quantization)
    return bias.constant->numberAt(i);
  const Quantization &q = *bias.quantization;
  std::size_t c = q.isPerTensor() ? 0 : std::size_t(i) % q.scales.size();
  return double(bias.constant->integerAt(i) - q.zeroPoints[c]) *
         double(q.scales[c]);
}

static StoredBias storedBias(const Tensor &bias, double inputStep,
                             const std::vector<float> &weightSteps,
                             double resultStep) {
  // Layers add up to 47 bits (sums of 16-bit inputs have 48).
  constexpr double kMost = 0x1p46;
  // Scales are float32: 1 is as near to another as that.
  constexpr double kSame = 0x1p-23;
  StoredBias result;
  for (std::int64_t i = 0; i < bias.constant->numElements(); ++i) {
    // Groups of a transposed convolution share their scales.
    double step =
        inputStep * double(weightSteps[std::size_t(i) % weightSteps.size()]);
    double exact = realBias(bias, i) / step;
    double rounded = std::isnan(exact) ? 0 : std::nearbyint(exact);
    double kept = std::clamp(rounded, -kMost, kMost);
    result.steps.push_back(std::int64_t(kept));
    double error = std::abs(kept - exact);
    result.isClipped |= kept != rounded;
    if (error > std::abs(exact) * kSame) {
      result.isRounded = true;
      result.largestError =
          std::max(result.largestError, error * step / resultStep);
    }
  }
  return result;
}

static std::string shortText(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g", number);
  return text;
}

static void reportRounded(OpReader &r, const StoredBias &stored) {
  if (!stored.isRounded)
    return;
  r.diags
      .report(diag::QnnBiasRounded, r.node.place,
              "node " + r.node.name + " (" + r.entry.name + "): bias " +
                  r.inputOf(2).name +
                  (stored.isClipped ? " is clipped to 47 bits and rounded"
                                    : " is rounded"))
      .found("errors of up to " + shortText(stored.largestError) +
             " steps of the result")
      .expected("a scale that is a multiple of the product of the scales of "
                "in[0] and in[1]");
}

static Constant packed(const std::vector<std::int64_t> &shape,
                       const std::vector<std::int64_t> &values) {
  bool isWide = std::ranges::any_of(values, [](std::int64_t v) {
    return v < std::numeric_limits<std::int32_t>::min() ||
           v > std::numeric_limits<std::int32_t>::max();
  });
  ElementType type = isWide ? ElementType::I64 : ElementType::I32;
  std::size_t width = elementBytes(type);
  std::vector<std::byte> bytes(values.size() * width);
  for (std::size_t i = 0; i < values.size(); ++i)
    std::memcpy(&bytes[i * width], &values[i], width); // little-endian
  return Constant::ofBytes(type, shape, std::move(bytes));
}

std::optional<Tensor *> qnn::productBias(OpReader &r, const Tensor &x,
                                         const Tensor &weights,
                                         std::int64_t outputAxis) {
  Tensor *bias = r.input(2);
  if (!bias)
    return bias;
  if (bias->type != ElementType::F32) {
    r.refuse("biases are integers without an encoding",
             r.inputOf(2).entry().name, "fixed point, or floats");
    return std::nullopt;
  }
  if (!bias->constant || !areIntegers(r, x, weights, outputAxis))
    return bias;
  double inputStep = double(x.quantization->scales[0]);
  const std::vector<float> &weightSteps = weights.quantization->scales;
  StoredBias stored = storedBias(*bias, inputStep, weightSteps,
                                 double(r.output(0)->quantization->scales[0]));
  reportRounded(r, stored);
  Tensor *result =
      r.constant("bias", packed(bias->constant->shape, stored.steps));
  result->type = ElementType::F32;
  Quantization products{result->constant->type, {}, {}, 0};
  for (float step : weightSteps)
    products.scales.push_back(float(inputStep * double(step)));
  // One scale, or one for each bias.
  for (std::size_t i = products.scales.size(); i > 1 && i < stored.steps.size();
       ++i)
    products.scales.push_back(products.scales[i % weightSteps.size()]);
  products.zeroPoints.assign(products.scales.size(), 0);
  result->quantization = std::move(products);
  return result;
}

Tensor *qnn::reshapedConstant(OpReader &r, const Tensor &constant,
                              std::vector<std::int64_t> dims,
                              std::int64_t scaleAxis, const std::string &what) {
  Constant value = *constant.constant;
  value.shape = std::move(dims);
  Tensor *result = r.constant(what, std::move(value));
  result->type = constant.type;
  result->quantization = constant.quantization;
  if (result->quantization)
    result->quantization->axis = scaleAxis;
  return result;
}
