//===- CalibrationStrategy.cpp - Names of the strategies ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/observe/Observer.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

namespace yarrow {

using Kind = CalibrationStrategy::Kind;

namespace {
struct StrategyName {
  std::string_view name;
  Kind kind;
  bool isNumberRequired, mayHaveNumber;
  float defaultNumber;
};
constexpr StrategyName kStrategies[] = {
    {"extrema", Kind::Extrema, false, false, 1},
    {"mean", Kind::Mean, false, false, 1},
    {"in_ir", Kind::InIr, false, false, 1},
    {"std", Kind::Nstd, true, true, 3},
    {"percentile", Kind::Percentile, false, true, 1},
    {"kld", Kind::Kld, false, true, 10},
    {"aciq_laplace", Kind::AciqLaplace, false, true, 1},
    {"aciq_gauss", Kind::AciqGauss, false, true, 1},
};
} // namespace

std::optional<CalibrationStrategy>
CalibrationStrategy::parse(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return char(std::tolower(c)); });
  std::string_view rest = lower;
  while (!rest.empty() && rest.front() == ' ')
    rest.remove_prefix(1);
  while (!rest.empty() && rest.back() == ' ')
    rest.remove_suffix(1);
  std::size_t digits = rest.find_first_not_of("0123456789.");
  if (digits == std::string_view::npos)
    return std::nullopt;
  std::string_view number = rest.substr(0, digits);
  std::string_view name = rest.substr(digits);
  for (const StrategyName &known : kStrategies) {
    if (known.name != name)
      continue;
    if (number.empty() ? known.isNumberRequired : !known.mayHaveNumber)
      return std::nullopt;
    CalibrationStrategy strategy{known.kind, known.defaultNumber};
    if (number.empty())
      return strategy;
    auto [end, error] = std::from_chars(
        number.data(), number.data() + number.size(), strategy.parameter);
    bool mayBeFraction = known.kind != Kind::Nstd && known.kind != Kind::Kld;
    if (error != std::errc() || end != number.data() + number.size() ||
        (!mayBeFraction && number.find('.') != std::string_view::npos))
      return std::nullopt;
    return strategy;
  }
  return std::nullopt;
}

std::string CalibrationStrategy::str() const {
  for (const StrategyName &known : kStrategies) {
    if (known.kind != kind)
      continue;
    std::string name(known.name);
    if (!known.mayHaveNumber ||
        (parameter == known.defaultNumber && !known.isNumberRequired))
      return name;
    char digits[32];
    auto [end, error] =
        std::to_chars(digits, digits + sizeof(digits), parameter);
    return std::string(digits, end) + name;
  }
  return "";
}

bool CalibrationStrategy::needsMoments() const {
  return kind == Kind::Nstd || kind == Kind::AciqLaplace ||
         kind == Kind::AciqGauss;
}

bool CalibrationStrategy::needsSecondRun() const {
  return kind == Kind::Kld || kind == Kind::AciqLaplace;
}

} // namespace yarrow
