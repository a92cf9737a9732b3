//===- Combine.cpp - Concat and Reduce ------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/rules/Rules.h"
#include "quantizer/rules/StatisticRules.h"

#include <algorithm>

using namespace yarrow::compass;

namespace yarrow {

namespace {
/// What the branches of a Concat have in common.
struct Branches {
  std::vector<LinearParams> params;
  unsigned bits = 8, numSigned = 0;
  bool allInvariant = true, sameScale = true;
};
} // namespace

static Branches branchesOf(const LayerContext &layer) {
  Branches b;
  for (unsigned i = 0; i < layer.numInputs(); ++i) {
    b.params.push_back(layer.input(i));
    const LinearParams &p = b.params.back(), &first = b.params.front();
    b.bits = std::max(b.bits, p.bits);
    b.numSigned += p.isSigned;
    b.allInvariant &= layer.isInvariant(i);
    b.sameScale &= p.scale == first.scale && p.zp == first.zp;
  }
  return b;
}

static std::string listOf(llvm::StringRef word, std::size_t count) {
  std::string text = "[";
  for (std::size_t i = 0; i < count; ++i)
    text += (i ? "," : "") + word.str();
  return text + "]";
}

/// Of all branches and the result, up to a ratio of \p threshold.
static bool haveOneScale(llvm::ArrayRef<LinearParams> branches,
                         const LinearParams &out, float threshold) {
  LinearParams least = out, most = out;
  for (const LinearParams &p : branches) {
    if (p.zp != out.zp)
      return false;
    least = p.scale < least.scale ? p : least;
    most = p.scale > most.scale ? p : most;
  }
  return haveCommonScale(least.scale, least.zp, most.scale, most.zp, threshold);
}

static void alignBranches(LayerContext &layer, const Branches &b,
                          const LinearParams &out) {
  unsigned bits = layer.options.multiplierWidth();
  std::vector<int64_t> scales, shifts;
  for (const LinearParams &p : b.params) {
    ScaleApproximation r = layer.approximate(out.scale / p.scale, bits);
    scales.push_back(r.multiplier);
    shifts.push_back(r.shift);
  }
  layer.setInts(keys::scale_value, scales);
  layer.setInts(keys::shift_value, shifts);
  layer.setExtra("scale_type", listOf(multiplierType(bits), scales.size()));
  layer.setExtra("shift_type", listOf("int8", scales.size()));
}

bool quantizeConcat(LayerContext &layer) {
  Branches b = branchesOf(layer);
  bool isWidened =
      layer.options.widensConcat && layer.options.activationBits > b.bits;
  if (isWidened)
    b.bits = layer.options.activationBits;
  bool isSigned = b.numSigned > 0;
  LinearParams out = b.params.front();
  out.bits = b.bits;
  out.isSigned = isSigned;
  out.qmin = integerMin(b.bits, isSigned);
  out.qmax = integerMax(b.bits, isSigned);
  bool sameSign = b.numSigned == 0 || b.numSigned == b.params.size();
  if (!b.allInvariant && layer.hasEncoding()) {
    out = layer.outputParams(isSigned);
  } else if (!b.allInvariant && (!b.sameScale || !sameSign || isWidened)) {
    out = layer.rangeParams(layer.range(), b.bits, isSigned);
  }
  bool isAligned = haveOneScale(b.params, out, layer.options.alignThreshold);
  if (!isAligned && !b.allInvariant)
    alignBranches(layer, b, out);
  layer.setOutput(0, out, b.allInvariant);
  return true;
}

/// Sums of squares and of magnitudes exceed 8 bits: a wide multiplier and
/// shifts beyond 31 (docs/operators/reduce.md).
static void setWideRequant(LayerContext &layer, float ratio) {
  layer.setRequant(layer.approximate(ratio, 16, /*maxShift=*/62), 16);
}

static bool quantizeStatistic(LayerContext &layer, const std::string &method,
                              double reduced) {
  LinearParams in = layer.input(0);
  LinearParams out = layer.outputParams(/*isSigned=*/false);
  if (method == "L1") {
    setWideRequant(layer, out.scale / in.scale);
  } else if (method == "VARIANCE" || method == "UNBIASED_VARIANCE") {
    double divisor = method == "VARIANCE" ? reduced : reduced - 1;
    if (divisor < 1)
      return layer.unsupported("the unbiased variance of one value is not "
                               "defined",
                               "", "method");
    setWideRequant(layer, out.scale / (in.scale * in.scale) / float(divisor));
  } else {
    return layer.unsupported("reduction by " + method + " is not supported yet",
                             "", "method");
  }
  layer.setOutput(0, out);
  return true;
}

bool quantizeReduce(LayerContext &layer) {
  std::string method = layer.word(keys::method, "MEAN");
  LinearParams in = layer.input(0);
  if (method == "PROD")
    return quantizeReduceProduct(layer);
  if (method == "L2")
    return quantizeReduceRoot(layer);
  if (method == "MIN" || method == "MAX") {
    layer.shareWithInput();
    return true;
  }
  if (method == "ANY" || method == "ALL") {
    layer.setOutput(0, LinearParams{1, 0, 8, false, 0, 255},
                    /*isInvariant=*/true);
    return true;
  }
  auto count = [](mlir::Value v) { return describe(v).numElements(); };
  double reduced = double(count(layer.op->getOperand(0))) /
                   double(count(layer.op->getResult(0)));
  // What counts stays what it is. (A sum of truth values that the network has
  // as floats is a real number.)
  if (method == "SUM" && layer.isInvariant(0) &&
      describe(layer.op->getResult(0)).isInteger()) {
    layer.setRequant({1, 0}, layer.options.activationBits);
    layer.setOutput(0, plainIntegers(32, /*isSigned=*/true),
                    /*isInvariant=*/true);
    return true;
  }
  if (method != "SUM" && method != "MEAN")
    return quantizeStatistic(layer, method, reduced);
  LinearParams out = layer.outputParams(in.isSigned);
  float ratio = out.scale / in.scale;
  if (method == "MEAN")
    ratio *= float(1 / reduced);
  unsigned bits = layer.options.activationBits;
  layer.setRequant(layer.approximate(ratio, bits), bits);
  layer.setOutput(0, out);
  return true;
}

} // namespace yarrow
