//===- Agreement.cpp - Whether two networks answer alike ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/metrics/Agreement.h"

#include <algorithm>
#include <cmath>
#include <vector>

using namespace yarrow;

double Agreement::agreedPercent() const {
  return samples ? 100 * double(agreed) / double(samples) : 0;
}

double Agreement::meanDivergence() const {
  return samples ? divergence / double(samples) : 0;
}

double Agreement::deviationPoints() const {
  return samples ? 100 * std::sqrt(double(lost + won)) / double(samples) : 0;
}

/// The logarithm of the sum of exponentials, which no large value overflows.
static double logOfSum(std::span<const float> logits) {
  double largest = *std::ranges::max_element(logits), sum = 0;
  for (float v : logits)
    sum += std::exp(double(v) - largest);
  return largest + std::log(sum);
}

/// Natural logarithms of the shares that \p values stand for.
static std::vector<double> logShares(std::span<const float> values,
                                     AnswerKind kind) {
  std::vector<double> logs;
  if (kind == AnswerKind::Logits) {
    double sum = logOfSum(values);
    for (float v : values)
      logs.push_back(double(v) - sum);
    return logs;
  }
  constexpr double least = 1e-6;
  double sum = 0;
  for (float v : values)
    sum += std::max(double(v), least);
  for (float v : values)
    logs.push_back(std::log(std::max(double(v), least) / sum));
  return logs;
}

Agreement yarrow::compareAnswers(std::span<const float> reference,
                                 std::span<const float> values,
                                 std::optional<int64_t> label,
                                 AnswerKind kind) {
  Agreement result;
  result.samples = 1;
  auto answer = [](std::span<const float> of) {
    return int64_t(std::ranges::max_element(of) - of.begin());
  };
  int64_t expected = answer(reference), found = answer(values);
  result.agreed = expected == found;
  if (label) {
    result.lost = expected == *label && found != *label;
    result.won = expected != *label && found == *label;
  }
  std::vector<double> p = logShares(reference, kind),
                      q = logShares(values, kind);
  for (std::size_t i = 0; i < p.size(); ++i)
    result.divergence += std::exp(p[i]) * (p[i] - q[i]);
  // Rounding alone can make it negative.
  result.divergence = std::max(result.divergence, 0.0);
  return result;
}
