//===- Feedback.h - Rounding that makes up for earlier errors ---*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The weights of one output are rounded one after another, and what the
// rounding of one does to the output is taken out by those that follow
// (Frantar et al., "GPTQ", 2022; in the form of Chee et al., "QuIP", 2023:
// both give the same integers). With H the second moments of the inputs and
// H = V D V^T, V unit upper triangular in the order of rounding, the expected
// square error of an output, e H e^T, is sum over j of
// d_j * (e_j + sum over i < j of e_i V_ij)^2: term j is smallest where weight j
// is rounded from w_j - sum over i < j of e_i V_ij.
//
//   auto feedback = ErrorFeedback::create(h, /*damping=*/0.01f, diags);
//   if (feedback) feedback->round({{weights, step, rounded}}, -7, 7);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_MATH_FEEDBACK_H
#define YARROW_QUANTIZER_MATH_FEEDBACK_H

#include "quantizer/math/Matrix.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace yarrow {

/// Which weights are rounded first: those of the strongest inputs have most to
/// lose and least that could make up for them.
enum class RoundingOrder { AsStored, StrongestFirst };

class ErrorFeedback {
public:
  /// \p h, symmetric, of which \p damping times the mean of the diagonal is
  /// added to the diagonal: few samples leave it singular. Nullopt if it has no
  /// positive diagonal (no input was ever other than 0) or numbers that are not
  /// finite.
  static std::optional<ErrorFeedback>
  create(Matrix h, float damping,
         RoundingOrder order = RoundingOrder::StrongestFirst);

  /// The weights that, behind these inputs, come nearest to what \p weights
  /// give behind others: w * cross * h^-1, with cross = E[x x'^T] of the others
  /// x and these x', damped as h. In place.
  void moveTarget(const Matrix &cross, std::span<float> weights) const;

  /// The weights of one output, to become integers times a step.
  struct Output {
    std::span<const float> weights;
    float step;
    std::span<int16_t> rounded;
  };
  /// Outputs that are rounded side by side, each by itself: their number
  /// changes the time alone.
  static constexpr std::size_t kOutputs = 4;

  /// Rounds to integers lowest .. highest; any number of outputs.
  void round(const std::vector<Output> &outputs, int64_t lowest,
             int64_t highest) const;

private:
  void roundSome(std::span<const Output> outputs, int64_t lowest,
                 int64_t highest) const;

  float damping = 0;                ///< What was added to the diagonal.
  std::vector<std::size_t> order;   ///< Inputs as they are rounded.
  std::vector<std::size_t> reverse; ///< The order of the factor's rows.
  Matrix factor;                    ///< U^T U = h, rows and columns in reverse.
  Matrix feedback;                  ///< V without its diagonal, in order.
};

} // namespace yarrow

#endif // YARROW_QUANTIZER_MATH_FEEDBACK_H
