//===- DecisionSides.h - Values on the same side of a threshold -*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Of a detector's scores nearly all are near 0, and what counts is which are
// above the threshold where a box is drawn. A ratio of powers says little of
// that. So of outputs that a Sigmoid makes it is counted how many values are on
// the same side of a threshold as the float network's, and of those that are
// above it there how many are so here.
//
//   std::optional<double> threshold = decisionThreshold(output, name, {});
//   DecisionSides sides;
//   if (threshold)
//     sides.add(*threshold, reference, values);
//   sides.str(); // "99.98 % of values on the same side of 0.5 (35 of 36
//   above)"
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_METRICS_DECISIONSIDES_H
#define YARROW_QUANTIZER_METRICS_DECISIONSIDES_H

#include "mlir/IR/Value.h"
#include "quantizer/options/DecisionThresholds.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace yarrow {

/// Of an output of the float network that the model calls \p name: what was
/// given for it, or for all that a Sigmoid makes, if it is one.
std::optional<double> decisionThreshold(mlir::Value output,
                                        std::string_view name,
                                        const DecisionThresholds &thresholds);

/// As it was given: "0.3".
std::string thresholdText(double value);

struct DecisionSides {
  double threshold = 0; ///< Of what was added.
  uint64_t values = 0, same = 0;
  uint64_t above = 0; ///< In the reference.
  uint64_t found = 0; ///< Of these here.

  void add(double limit, std::span<const float> reference,
           std::span<const float> given);
  void merge(const DecisionSides &other);
  bool isKnown() const { return values != 0; }
  double sameShare() const {
    return values ? double(same) / double(values) : 1;
  }
  std::string str() const;
};

} // namespace yarrow

#endif // YARROW_QUANTIZER_METRICS_DECISIONSIDES_H
