//===- CalibrationStrategy.h - How the range of a tensor is found ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A value of calibration_strategy_for_activation or _for_weight. Strategies are
// the records of Strategies.def.
//
//   std::string problem;
//   auto strategy = CalibrationStrategy::parse("3std", problem);
//   strategy->str();     // "3std"
//   strategy->needs();   // StrategyNeeds::Moments
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_OBSERVE_CALIBRATIONSTRATEGY_H
#define YARROW_QUANTIZER_OBSERVE_CALIBRATIONSTRATEGY_H

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace yarrow {

/// Statistics beyond the extrema.
enum class StrategyNeeds {
  Nothing,
  Moments,    ///< Mean and standard deviation.
  Deviations, ///< Those, and in a second run absolute deviations.
  Histogram   ///< A second run over the batch's extrema.
};

struct CalibrationStrategy {
  enum class Kind {
#define STRATEGY(KIND, ...) KIND,
#include "quantizer/observe/Strategies.def"
  };
  Kind kind = Kind::Extrema;
  /// As many as the strategy has.
  std::array<float, 4> parameters = {1, 0, 0, 0};

  /// Case does not matter. Nullopt if \p text is none; \p problem is empty if
  /// it has the form of none.
  static std::optional<CalibrationStrategy> parse(std::string_view text,
                                                  std::string &problem);
  static std::optional<CalibrationStrategy> parse(std::string_view text) {
    std::string problem;
    return parse(text, problem);
  }
  /// "extrema, mean, ... or ... with a whole N and any numbers else".
  static std::string forms();

  std::string str() const;
  StrategyNeeds needs() const;
  /// Whether collectStatistics() must look at every value, not only the
  /// extrema.
  bool needsMoments() const {
    return needs() == StrategyNeeds::Moments ||
           needs() == StrategyNeeds::Deviations;
  }
  /// Whether a second run over the data is needed, once the batch's mean and
  /// extrema are known.
  bool needsSecondRun() const {
    return needs() == StrategyNeeds::Deviations ||
           needs() == StrategyNeeds::Histogram;
  }

  bool operator==(const CalibrationStrategy &) const = default;
};

} // namespace yarrow

#endif // YARROW_QUANTIZER_OBSERVE_CALIBRATIONSTRATEGY_H
