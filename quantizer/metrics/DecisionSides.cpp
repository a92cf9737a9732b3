//===- DecisionSides.cpp - Values on the same side of a threshold ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/metrics/DecisionSides.h"

#include "dialects/compass/Layers.h"
#include "dialects/compass/Records.h"
#include "quantizer/metrics/ScoreRows.h"
#include "support/Format.h"

#include <cassert>

using namespace yarrow;
using namespace yarrow::compass;

std::optional<float> yarrow::decisionThreshold(mlir::Value output) {
  mlir::Operation *maker = makerOf(output);
  bool isSigmoid =
      maker && (recordOf(maker)->layerType == "Sigmoid" ||
                wordKey(maker, "method", "") == "SIGMOID" ||
                wordKey(maker, "with_activation", "") == "SIGMOID");
  return isSigmoid ? std::optional(0.5f) : std::nullopt;
}

void DecisionSides::add(float threshold, std::span<const float> reference,
                        std::span<const float> given) {
  assert(reference.size() == given.size() && "of another network");
  values += reference.size();
  for (std::size_t i = 0; i < reference.size(); ++i) {
    bool isAbove = reference[i] > threshold;
    bool isSame = isAbove == (given[i] > threshold);
    same += isSame;
    above += isAbove;
    found += isAbove && isSame;
  }
}

void DecisionSides::merge(const DecisionSides &other) {
  values += other.values;
  same += other.same;
  above += other.above;
  found += other.found;
}

std::string DecisionSides::str() const {
  return formatFixed(100 * sameShare(), 2) +
         " % of values on the same side of 0.5 (" + formatCount(found) +
         " of " + formatCount(above) + " above)";
}
