//===- Feedback.cpp - Rounding that makes up for earlier errors -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/math/Feedback.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace yarrow;

std::optional<ErrorFeedback> ErrorFeedback::create(Matrix h, float damping,
                                                   RoundingOrder order) {
  std::size_t size = h.rows;
  double trace = 0;
  for (std::size_t i = 0; i < size; ++i)
    trace += h.at(i, i);
  if (!(trace > 0) || !std::isfinite(trace))
    return std::nullopt;
  ErrorFeedback result;
  result.damping = damping * float(trace / double(size));
  result.order.resize(size);
  std::iota(result.order.begin(), result.order.end(), std::size_t(0));
  if (order == RoundingOrder::StrongestFirst)
    std::stable_sort(
        result.order.begin(), result.order.end(),
        [&](std::size_t a, std::size_t b) { return h.at(a, a) > h.at(b, b); });
  result.reverse.assign(result.order.rbegin(), result.order.rend());
  // H = V D V^T with V upper triangular is Cholesky's factor from the last
  // weight to the first.
  Matrix reversed(size, size);
  for (std::size_t a = 0; a < size; ++a)
    for (std::size_t b = a; b < size; ++b)
      reversed.at(a, b) = h.at(result.reverse[a], result.reverse[b]);
  for (std::size_t a = 0; a < size; ++a)
    reversed.at(a, a) += result.damping;
  if (!factorize(reversed))
    return std::nullopt;
  result.feedback = Matrix(size, size);
  for (std::size_t b = 0; b < size; ++b) {
    float inverse = 1 / reversed.at(b, b);
    std::size_t j = size - 1 - b;
    for (std::size_t a = b + 1; a < size; ++a)
      result.feedback.at(size - 1 - a, j) = reversed.at(b, a) * inverse;
  }
  result.factor = std::move(reversed);
  return result;
}

void ErrorFeedback::moveTarget(const Matrix &cross,
                               std::span<float> weights) const {
  std::size_t size = weights.size();
  std::vector<float> product(size);
  for (std::size_t i = 0; i < size; ++i) {
    const float *row = cross.row(i);
    for (std::size_t j = 0; j < size; ++j)
      product[j] += weights[i] * row[j];
    product[i] += weights[i] * damping;
  }
  std::vector<float> solved(size);
  for (std::size_t a = 0; a < size; ++a)
    solved[a] = product[reverse[a]];
  solve(factor, solved);
  for (std::size_t a = 0; a < size; ++a)
    weights[reverse[a]] = solved[a];
}

void ErrorFeedback::round(std::span<const float> weights, float step,
                          int64_t lowest, int64_t highest,
                          std::span<int16_t> rounded) const {
  std::size_t size = weights.size();
  std::vector<float> carried(size);
  for (std::size_t i = 0; i < size; ++i) {
    float wanted = weights[order[i]] - carried[i];
    double q = std::nearbyint(double(wanted) / step);
    q = std::clamp(q, double(lowest), double(highest));
    rounded[order[i]] = int16_t(q);
    float error = float(q * step) - weights[order[i]];
    const float *row = feedback.row(i);
    for (std::size_t j = i + 1; j < size; ++j)
      carried[j] += error * row[j];
  }
}
