//===- Feedback.cpp - Rounding that makes up for earlier errors -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/math/Feedback.h"

#include <algorithm>
#include <cmath>
#include <cstring>
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

//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

namespace {

/// Inputs whose errors are carried to all further ones together: sums stay in
/// registers meanwhile. Each input of each output still adds the errors of
/// those before it one by one, in their order.
constexpr std::size_t kBlock = 32;

/// Of some outputs, as far as they were rounded.
struct Carried {
  std::size_t outputs;
  float *sums[ErrorFeedback::kOutputs];          ///< [output][input]
  float errors[ErrorFeedback::kOutputs][kBlock]; ///< Of the block's inputs.
};

} // namespace

typedef float Columns __attribute__((vector_size(32 * sizeof(float))));

/// Adds the errors of a block's \p count inputs, whose rows of the feedback are
/// from \p rows on, to the sums of the inputs begin .. end.
template <std::size_t Outputs>
__attribute__((always_inline)) static inline void
addErrors(const float *rows, std::size_t pitch, std::size_t count,
          std::size_t begin, std::size_t end, const Carried &carried) {
  constexpr std::size_t kWidth = sizeof(Columns) / sizeof(float);
  std::size_t j = begin;
  for (; j + kWidth <= end; j += kWidth) {
    Columns sums[Outputs], row;
    for (std::size_t o = 0; o < Outputs; ++o)
      std::memcpy(&sums[o], carried.sums[o] + j, sizeof(Columns));
    for (std::size_t i = 0; i < count; ++i) {
      std::memcpy(&row, rows + i * pitch + j, sizeof(Columns));
      for (std::size_t o = 0; o < Outputs; ++o)
        sums[o] += row * carried.errors[o][i];
    }
    for (std::size_t o = 0; o < Outputs; ++o)
      std::memcpy(carried.sums[o] + j, &sums[o], sizeof(Columns));
  }
  for (std::size_t o = 0; o < Outputs; ++o)
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t k = j; k < end; ++k)
        carried.sums[o][k] += carried.errors[o][i] * rows[i * pitch + k];
}

__attribute__((always_inline)) static inline void
addErrorsOfAny(const float *rows, std::size_t pitch, std::size_t count,
               std::size_t begin, std::size_t end, const Carried &carried) {
  static_assert(ErrorFeedback::kOutputs == 4);
  if (carried.outputs == 4)
    return addErrors<4>(rows, pitch, count, begin, end, carried);
  if (carried.outputs == 3)
    return addErrors<3>(rows, pitch, count, begin, end, carried);
  if (carried.outputs == 2)
    return addErrors<2>(rows, pitch, count, begin, end, carried);
  addErrors<1>(rows, pitch, count, begin, end, carried);
}

using AddErrors = void(const float *rows, std::size_t pitch, std::size_t count,
                       std::size_t begin, std::size_t end,
                       const Carried &carried);
static void addErrorsV2(const float *rows, std::size_t pitch, std::size_t count,
                        std::size_t begin, std::size_t end,
                        const Carried &carried) {
  addErrorsOfAny(rows, pitch, count, begin, end, carried);
}
#ifdef __x86_64__
__attribute__((target("arch=x86-64-v4"), min_vector_width(512))) static void
addErrorsV4(const float *rows, std::size_t pitch, std::size_t count,
            std::size_t begin, std::size_t end, const Carried &carried) {
  addErrorsOfAny(rows, pitch, count, begin, end, carried);
}
#endif

static AddErrors *addErrorsOfHost() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("x86-64-v4"))
    return addErrorsV4;
#endif
  return addErrorsV2;
}

void ErrorFeedback::roundSome(std::span<const Output> outputs, int64_t lowest,
                              int64_t highest) const {
  static AddErrors *const addErrors = addErrorsOfHost();
  std::size_t size = order.size();
  std::vector<float> sums(outputs.size() * size);
  Carried carried{outputs.size(), {}, {}};
  for (std::size_t o = 0; o < outputs.size(); ++o)
    carried.sums[o] = sums.data() + o * size;
  for (std::size_t begin = 0; begin < size; begin += kBlock) {
    std::size_t end = std::min(size, begin + kBlock);
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      const Output &output = outputs[o];
      float *sum = carried.sums[o];
      for (std::size_t i = begin; i < end; ++i) {
        float weight = output.weights[order[i]], wanted = weight - sum[i];
        double q = std::nearbyint(double(wanted) / output.step);
        q = std::clamp(q, double(lowest), double(highest));
        output.rounded[order[i]] = int16_t(q);
        float error = float(q * output.step) - weight;
        carried.errors[o][i - begin] = error;
        const float *row = feedback.row(i);
        for (std::size_t j = i + 1; j < end; ++j)
          sum[j] += error * row[j];
      }
    }
    if (end < size)
      addErrors(feedback.row(begin), feedback.pitch, end - begin, end, size,
                carried);
  }
}

void ErrorFeedback::round(const std::vector<Output> &outputs, int64_t lowest,
                          int64_t highest) const {
  for (std::size_t o = 0; o < outputs.size(); o += kOutputs)
    roundSome(
        std::span(outputs).subspan(o, std::min(kOutputs, outputs.size() - o)),
        lowest, highest);
}
