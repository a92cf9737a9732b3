//===- DecisionThresholds.h - Where a score begins to count -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The thresholds of who uses a network's scores: at 0.3 a box is drawn, or at
// 0.8 of one output alone. A number is for all outputs that a Sigmoid makes,
// 0.5 if none is given; that of an output by name is whatever makes it.
//
//   auto thresholds = DecisionThresholds::parse("0.3,cls_8=0.6");
//   thresholds->ofSigmoids;        // 0.3
//   thresholds->ofName("cls_8");   // 0.6
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_OPTIONS_DECISIONTHRESHOLDS_H
#define YARROW_QUANTIZER_OPTIONS_DECISIONTHRESHOLDS_H

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yarrow {

struct DecisionThresholds {
  double ofSigmoids = 0.5;
  std::vector<std::pair<std::string, double>> byOutput; ///< The model's names.

  /// nullopt if \p text is not of forms().
  static std::optional<DecisionThresholds> parse(std::string_view text);
  /// For messages.
  static const char *forms();
  /// What was given for an output; the last one, if several were.
  std::optional<double> ofName(std::string_view output) const;
};

} // namespace yarrow

#endif // YARROW_QUANTIZER_OPTIONS_DECISIONTHRESHOLDS_H
