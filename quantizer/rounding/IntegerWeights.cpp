//===- IntegerWeights.cpp - Weights of an integer layer -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/rounding/IntegerWeights.h"

#include "dialects/compass/Compass.h"
#include "dialects/compass/ConstantValues.h"
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/conv/ConvOps.h"
#include "quantizer/math/QuantParams.h"
#include "support/LinearValue.h"

#include <algorithm>
#include <cmath>

using namespace yarrow;
using namespace yarrow::compass;

/// One number per output, from a tensor or a list of one.
static std::vector<double> perOutput(mlir::Operation *op, TensorKey tensor,
                                     IntsKey list, std::size_t outputs) {
  std::vector<double> values;
  if (auto attr = tensorKey(op, tensor)) {
    auto view = viewConstant(attr);
    for (int64_t i = 0; i < view->numElements(); ++i)
      values.push_back(double(view->intAt(i)));
  } else {
    auto ints = intsKey(op, list);
    values.assign(ints.begin(), ints.end());
  }
  if (values.size() == 1)
    values.resize(outputs, values[0]);
  return values;
}

static bool weightsHaveZeroPoints(mlir::Operation *op) {
  // No record has this key.
  auto attr = op->getAttrOfType<mlir::ElementsAttr>("weights_zp");
  if (!attr)
    return false;
  auto view = viewConstant(attr);
  for (int64_t i = 0; i < view->numElements(); ++i)
    if (view->intAt(i) != 0)
      return true;
  return false;
}

std::optional<IntegerWeights> IntegerWeights::of(mlir::Operation *floatOp,
                                                 mlir::Operation *intOp,
                                                 const LayerOptions &options) {
  if (!mlir::isa<ConvolutionOp, DepthwiseConvOp, FullyConnectedOp>(intOp) ||
      !isIntegerLayer(intOp) || weightsHaveZeroPoints(intOp))
    return std::nullopt;
  TensorInfo in = describe(intOp->getOperand(0)),
             out = describe(intOp->getResult(0));
  auto weightsAttr = tensorKey(floatOp, keys::weights),
       biasesAttr = tensorKey(floatOp, keys::biases),
       roundedAttr = tensorKey(intOp, keys::weights),
       intBiases = tensorKey(intOp, keys::biases);
  if (!weightsAttr || !roundedAttr || !intBiases || !in.isQuantized() ||
      !out.isQuantized())
    return std::nullopt;
  auto weights = viewConstant(weightsAttr), rounded = viewConstant(roundedAttr);
  if (!weights || !rounded || weights->shape != rounded->shape ||
      weights->shape.empty())
    return std::nullopt;
  IntegerWeights w;
  w.op = intOp;
  w.outputs = std::size_t(weights->shape[0]);
  w.terms = std::size_t(weights->numElements()) / w.outputs;
  w.weights = floatsOf(*weights);
  w.rounded.resize(w.weights.size());
  for (std::size_t i = 0; i < w.rounded.size(); ++i)
    w.rounded[i] = int16_t(rounded->intAt(int64_t(i)));
  w.biases.assign(w.outputs, 0);
  if (biasesAttr) {
    auto biases = viewConstant(biasesAttr);
    if (std::size_t(biases->numElements()) != w.outputs)
      return std::nullopt;
    w.biases = floatsOf(*biases);
  }
  std::vector<double> multipliers =
      perOutput(intOp, keys::scale, keys::scale_value, w.outputs);
  std::vector<double> shifts =
      perOutput(intOp, keys::shift, keys::shift_value, w.outputs);
  if (multipliers.size() != w.outputs || shifts.size() != w.outputs)
    return std::nullopt;
  for (std::size_t o = 0; o < w.outputs; ++o) {
    double step = std::ldexp(multipliers[o], -int(shifts[o])) / out.scale;
    if (!(step > 0))
      return std::nullopt;
    w.biasSteps.push_back(float(step));
    w.steps.push_back(float(step * in.scale));
  }
  unsigned bits = options.weightBits;
  w.highest = integerMax(bits, true);
  w.lowest = options.weightMethod.mode == RangeMode::SymmetricFull
                 ? integerMin(bits, true)
                 : -w.highest;
  w.inputZp = in.zp;
  w.biasBits = options.biasBits;
  w.biasEffectiveBits = options.biasEffectiveBits;
  return w;
}

bool IntegerWeights::isRectified() const {
  std::string activation = wordKey(op, keys::with_activation, "NONE");
  return activation == "RELU" || activation == "RELU6";
}

/// What an input's zero point adds to the sums of an output.
static int64_t zeroPointPart(std::span<const int16_t> rounded,
                             int64_t inputZp) {
  // A layer's sum of weights is below 2^15 * 2^24 terms.
  int64_t sum = 0;
  for (int64_t q : rounded)
    sum += q;
  return inputZp * sum;
}

std::vector<float> IntegerWeights::storedBiases() const {
  auto stored = viewConstant(tensorKey(op, keys::biases));
  std::vector<float> real(outputs);
  for (std::size_t o = 0; o < outputs; ++o)
    real[o] = float(double(stored->intAt(int64_t(o)) -
                           zeroPointPart(roundedOf(o), inputZp)) *
                    biasSteps[o]);
  return real;
}

/// A constant like \p old with other integers.
template <typename T>
static mlir::ElementsAttr replaced(mlir::Operation *op, mlir::ElementsAttr old,
                                   const char *name,
                                   const std::vector<T> &values) {
  auto view = viewConstant(old);
  // In parts, of a whole number of bytes at any width: some layers have a
  // hundred million weights.
  constexpr std::size_t kPart = std::size_t(1) << 20;
  std::vector<char> bytes;
  for (std::size_t at = 0; at < values.size(); at += kPart) {
    auto begin = values.begin() + std::ptrdiff_t(at);
    auto end = begin + std::ptrdiff_t(std::min(kPart, values.size() - at));
    std::vector<char> part =
        packed(view->storedType(), std::vector<int64_t>(begin, end));
    if (at == 0)
      bytes.reserve(part.size() * ((values.size() + kPart - 1) / kPart));
    bytes.insert(bytes.end(), part.begin(), part.end());
  }
  return makeConstant(op->getContext(), layerNameOf(op).str() + "_" + name,
                      view->shape, view->storedType(), std::move(bytes));
}

void IntegerWeights::store() const {
  int64_t lo = integerMin(biasBits, true), hi = integerMax(biasBits, true);
  std::vector<int64_t> quantized(outputs);
  for (std::size_t o = 0; o < outputs; ++o) {
    double b = std::nearbyint(double(biases[o]) / biasSteps[o]) +
               double(zeroPointPart(roundedOf(o), inputZp));
    quantized[o] = int64_t(std::clamp(b, double(lo), double(hi)));
  }
  clearLowBiasBits(quantized, biasEffectiveBits);
  op->setAttr(keys::weights,
              replaced(op, tensorKey(op, keys::weights), "weights", rounded));
  op->setAttr(keys::biases,
              replaced(op, tensorKey(op, keys::biases), "biases", quantized));
}
