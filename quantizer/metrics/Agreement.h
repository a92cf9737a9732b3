//===- Agreement.h - Whether two networks agree -----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Top-1 hides the effect of quantization: samples that it loses and samples
// that it happens to win cancel out. So the answers of two networks are
// compared one by one. A difference of top-1 on N samples has a standard
// deviation of about sqrt(lost + won) / N: each of those samples could as well
// have gone the other way.
//
//   Agreement sum;
//   sum.merge(compareAnswers(floatLogits, intLogits, label, {}));
//   sum.agreedPercent(); sum.lost; sum.deviationPoints();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_METRICS_AGREEMENT_H
#define YARROW_QUANTIZER_METRICS_AGREEMENT_H

#include <cstdint>
#include <optional>
#include <span>

namespace yarrow {

struct Agreement {
  uint64_t samples = 0;
  /// The largest output is the same one; of equal ones the first counts.
  uint64_t agreed = 0;
  /// Right in the reference and wrong here, and the other way. With labels.
  uint64_t lost = 0, won = 0;
  /// Sum of the Kullback-Leibler divergences, in nats.
  double divergence = 0;

  void merge(const Agreement &other) {
    samples += other.samples;
    agreed += other.agreed;
    lost += other.lost;
    won += other.won;
    divergence += other.divergence;
  }
  double agreedPercent() const;
  double meanDivergence() const;
  /// Standard deviation of the difference of both top-1, in points of percent.
  double deviationPoints() const;
};

/// What numbers stand for: logits, whose softmax is compared, or the shares
/// that a Softmax layer has made of them. Shares below 1e-6 count as that, as
/// small integers have none between 0 and their step.
enum class AnswerKind { Logits, Shares };

/// Of one sample; both have the same, not zero, number of finite values.
Agreement compareAnswers(std::span<const float> reference,
                         std::span<const float> values,
                         std::optional<int64_t> label, AnswerKind kind);

} // namespace yarrow

#endif // YARROW_QUANTIZER_METRICS_AGREEMENT_H
