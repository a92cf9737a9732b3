//===- WideRequant.cpp - Multipliers of 31 bits and other roundings -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/WideRequant.h"
#include "dialects/compass/Keys.h"
#include "dialects/compass/LayerError.h"
#include "dialects/compass/Records.h"
#include "support/diagnostics/Operators.h"
#include "llvm/ADT/StringSwitch.h"

#include <utility>

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;
using kernels::Act;
using kernels::Rounding;

static constexpr StringLiteral kRoundingKey = "requant_rounding";

// Layers.h, which is above this file, reads keys for others.

static std::string wordOf(Operation *op, StringRef key, StringRef absent) {
  auto word = op->getAttrOfType<StringAttr>(key);
  return (word ? word.getValue() : absent).upper();
}

/// The integers of X_value and of the constant X.
static SmallVector<int64_t> integersOf(Operation *op, StringRef name) {
  SmallVector<int64_t> integers;
  if (auto values =
          op->getAttrOfType<DenseI64ArrayAttr>((name + "_value").str()))
    llvm::append_range(integers, values.asArrayRef());
  auto attr = op->getAttrOfType<ElementsAttr>(name);
  if (auto view = attr ? viewConstant(attr) : std::nullopt)
    for (int64_t i = 0, e = view->numElements(); i < e; ++i)
      integers.push_back(view->intAt(i));
  return integers;
}

/// Whether the layer is one that may be requantized so.
static bool takesWide(Operation *op) {
  const OperatorRecord *record = recordOf(op);
  const KeyRecord *key = record ? record->findKey(kRoundingKey) : nullptr;
  if (!key || key->of.empty())
    return key;
  const KeyRecord *selector = record->findKey(key->selector);
  return llvm::is_contained(key->of,
                            wordOf(op, key->selector, selector->defaultText));
}

int64_t compass::mostMultiplier(Operation *op) {
  return takesWide(op) ? INT32_MAX : kernels::kMostNarrowScale;
}

bool compass::hasOwnRounding(Operation *op) {
  return wordOf(op, kRoundingKey, "HALF_EVEN") != "HALF_EVEN";
}

/// The greatest multiplier of the result or of an operand.
static int64_t greatestMultiplier(Operation *op) {
  int64_t most = 0;
  for (int64_t scale : integersOf(op, keys::scale))
    most = std::max(most, scale);
  return most;
}

bool compass::hasWideMultiplier(Operation *op) {
  return takesWide(op) && greatestMultiplier(op) > kernels::kMostNarrowScale;
}

/// TFLite's multipliers come with shifts to the right, of 0 to 62 in all.
static LogicalResult checkRightShifts(Operation *op) {
  for (int64_t shift : integersOf(op, keys::shift))
    if (shift < 0 || shift > 62)
      return layerError(op, diag::OpIntegerParameters, kRoundingKey,
                        "a shift is out of range for this rounding")
          .found(Twine(shift))
          .expected("0 to 62");
  return success();
}

FailureOr<Rounding> compass::roundingOf(Operation *op, Act act) {
  if (!hasOwnRounding(op))
    return Rounding::HalfEven;
  std::string word = wordOf(op, kRoundingKey, "");
  auto rounding = llvm::StringSwitch<std::optional<Rounding>>(word)
                      .Case("HALF_UP", Rounding::HalfUp)
                      .Case("DOUBLE", Rounding::Double)
                      .Default(std::nullopt);
  if (!takesWide(op) || !rounding) {
    layerError(op, diag::OpBadAttribute, kRoundingKey,
               "the layer does not support the rounding " + word)
        .found(word)
        .expected("HALF_EVEN, or no requant_rounding");
    return failure();
  }
  // LEAKYRELU has two multipliers then, as a layer of its own.
  bool isFused = op->hasAttr(keys::with_activation);
  if (act == Act::Clip || act == Act::PRelu ||
      (act == Act::LeakyRelu && isFused)) {
    layerError(op, diag::OpUnsupported, kRoundingKey,
               "an activation with its own rounding cannot be combined with "
               "requant_rounding " +
                   word)
        .hint("limit the result with layer_top_range, or use a separate "
              "Activation layer");
    return failure();
  }
  if (failed(checkRightShifts(op)))
    return failure();
  return *rounding;
}

uint64_t compass::mostMagnitude(const TensorInfo &tensor) {
  auto [lo, hi] = dtypeRange(tensor.storedType());
  return uint64_t(std::max(std::abs(lo + tensor.zp), std::abs(hi + tensor.zp)));
}

/// The greatest sum of the magnitudes of a row.
static uint64_t greatestRowSum(const ConstantView &weights, int64_t length) {
  uint64_t greatest = 0;
  for (int64_t i = 0, e = weights.numElements(); i + length <= e; i += length)
    greatest = std::max(greatest, weights.magnitudeOf(i, length));
  return greatest;
}

/// The greatest |sum|, biases included: by the types, or where those promise
/// too little, by the weights as they are.
static uint64_t mostWeightedSum(Operation *op, const ConstantView &weights) {
  // The share of the input's zero point is in the biases; padding is as great.
  TensorInfo in = describe(op->getOperand(0));
  uint64_t mostInput = uint64_t(std::abs(std::exchange(in.zp, 0)));
  mostInput = std::max(mostInput, mostMagnitude(in));
  uint64_t mostBias = 0;
  auto biases = viewConstant(op->getAttrOfType<ElementsAttr>(keys::biases));
  for (int64_t i = 0, e = biases->numElements(); i < e; ++i)
    mostBias = std::max(mostBias, uint64_t(std::abs(biases->intAt(i))));
  int64_t length = weights.numElements() / weights.shape[0];
  auto [lo, hi] = dtypeRange(weights.storedType());
  uint64_t most = uint64_t(std::max(-lo, hi)) * length * mostInput + mostBias;
  constexpr uint64_t kAlways = uint64_t(1) << 31; // times any multiplier
  return most <= kAlways
             ? most
             : greatestRowSum(weights, length) * mostInput + mostBias;
}

LogicalResult compass::checkProduct(Operation *op, int64_t scale,
                                    uint64_t most) {
  constexpr uint64_t kMost = uint64_t(1) << 62;
  if (scale == 0 || most <= kMost / uint64_t(scale))
    return success();
  return layerError(op, diag::OpIntegerParameters,
                    op->hasAttr(keys::scale) ? "scale_type" : "scale_value",
                    "a multiplier times the layer's sums can exceed 2^62")
      .found("the multiplier " + Twine(scale) + " and sums up to " +
             Twine(most))
      .expected("a multiplier up to " + Twine(kMost / most));
}

LogicalResult compass::checkSums(Operation *op, const kernels::Requant &r,
                                 uint64_t mostSum) {
  int64_t scale = r.perChannel ? greatestMultiplier(op) : r.scale;
  if (r.rounding == Rounding::Double || scale <= kernels::kMostNarrowScale)
    return success();
  return checkProduct(op, scale, mostSum);
}

LogicalResult compass::checkWeightedSums(Operation *op,
                                         const kernels::Requant &r,
                                         const ConstantView &weights) {
  if (r.rounding == Rounding::Double || !hasWideMultiplier(op))
    return success();
  return checkSums(op, r, mostWeightedSum(op, weights));
}
