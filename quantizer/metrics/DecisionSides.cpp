//===- DecisionSides.cpp - Values on the same side of a threshold ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/metrics/DecisionSides.h"

#include "dialects/compass/activation/Sigmoid.h"
#include "quantizer/metrics/ScoreRows.h"
#include "support/Format.h"

#include <cassert>
#include <charconv>

using namespace yarrow;
using namespace yarrow::compass;

std::optional<double>
yarrow::decisionThreshold(mlir::Value output, std::string_view name,
                          const DecisionThresholds &thresholds) {
  if (auto own = thresholds.ofName(name))
    return own;
  mlir::Operation *maker = makerOf(output);
  return maker && isSigmoid(maker) ? std::optional(thresholds.ofSigmoids)
                                   : std::nullopt;
}

void DecisionSides::add(double limit, std::span<const float> reference,
                        std::span<const float> given) {
  assert(reference.size() == given.size() && "of another network");
  threshold = limit;
  values += reference.size();
  for (std::size_t i = 0; i < reference.size(); ++i) {
    bool isAbove = double(reference[i]) > limit;
    bool isSame = isAbove == (double(given[i]) > limit);
    same += isSame;
    above += isAbove;
    found += isAbove && isSame;
  }
}

void DecisionSides::merge(const DecisionSides &other) {
  if (other.isKnown())
    threshold = other.threshold;
  values += other.values;
  same += other.same;
  above += other.above;
  found += other.found;
}

std::string yarrow::thresholdText(double value) {
  char text[32];
  std::to_chars_result result = std::to_chars(text, text + sizeof text, value);
  return std::string(text, result.ptr);
}

std::string DecisionSides::str() const {
  return formatFixed(100 * sameShare(), 2) +
         " % of values on the same side of " + thresholdText(threshold) + " (" +
         formatCount(found) + " of " + formatCount(above) + " above)";
}
