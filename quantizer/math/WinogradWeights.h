//===- WinogradWeights.h - Transformed weights in 8 bits ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Transformed weights U = G g G^T are means of the window's weights in their
// inner taps and the weights themselves in their corners, so their ranges
// differ by tap. Each tap of an output channel has the channel's scale divided
// by a power of two of its own, its shift: U = W / scale * 2^shift. The scale
// is that of the channel's finest tap, whose shift is 0.
//
// There are 16 weights for the 9 of the window (12 in F(2,3), whose rows are
// not transformed), so rounding errors of taps can make up for one another:
// weights are rounded one tap after another, and what a tap's rounding does to
// the layer's results is taken out by the next taps as far as their steps
// allow. With scales chosen by the error that is left, ResNet-20's sums are at
// 44.8 dB as F(2x2,3x3) and at 47.4 as F(2,3); at 42.9 and 44.7 where each
// weight is rounded alone (direct: 46.1).
//
//   WinogradTile tile(winogradMatrices(1, 3), winogradMatrices(2, 3));
//   std::vector<float> u = tile.transformWeights(g, outputs, channels);
//   unsigned shift = winogradTapShift(largestOfTap, scale, 127.5);
//   double error = tile.roundWeights(ofChannel, steps, -127, 127, weights);
//   if (tile.sumBound(weights, shifts) + std::abs(bias) < int64_t(1) << 31)
//     ... 32-bit accumulators hold the channel ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_MATH_WINOGRADWEIGHTS_H
#define YARROW_QUANTIZER_MATH_WINOGRADWEIGHTS_H

#include "support/Winograd.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace yarrow {

/// Measured on trained networks taps of a channel differ by up to 2^5; the sums
/// of a tap that is finer still would cost more accumulator bits than its
/// rounding is worth.
inline constexpr unsigned kMaxWinogradTapShift = 5;

/// The smallest shift, whatever its size, by which weights of at most
/// \p largest round into \p limit, half a step above the largest integer.
unsigned winogradTapShift(float largest, float scale, double limit);

/// How much narrower than \p range that of the finest tap of a channel can be,
/// as a power of two up to kMaxWinogradTapShift, given the largest magnitude of
/// each tap. Taps without weights need no range.
unsigned winogradFinestShift(std::span<const float> largestOfTaps, float range);

/// A tile of inputs, transformed along both axes, and its weights. Taps, cells,
/// outputs and weights of the window are counted row by row.
class WinogradTile {
public:
  /// Inputs and sums have integral transforms (asserted). F(1,r) along the
  /// height leaves rows as they are: the 1-D form.
  WinogradTile(WinogradMatrices y, WinogradMatrices x);

  const WinogradMatrices y, x;
  unsigned taps() const { return y.tile() * x.tile(); } ///< cells too
  unsigned outputs() const { return y.outputs * x.outputs; }
  unsigned window() const { return y.kernel * x.kernel; }

  /// [outputs, window, channels] to [outputs, taps, channels], in double.
  std::vector<float> transformWeights(std::span<const float> weights,
                                      std::size_t outputs,
                                      std::size_t channels) const;

  /// Rounds one output channel's transformed weights [taps, channels] to
  /// integers from \p lowest to \p highest, given each tap's step. Returns the
  /// expected square error of a result for inputs that vary as much as their
  /// mean is away from 0, as those of an activation do.
  double roundWeights(std::span<const float> transformed,
                      std::span<const double> steps, int64_t lowest,
                      int64_t highest, std::span<int64_t> rounded) const;

  /// What the sums of one output channel can reach, before the bias, with 8-bit
  /// inputs from -128 to 127: no sum of a tap's products, before or after its
  /// shift, and no partial sum of the output transform exceeds it.
  /// \p weights is [taps, channels].
  int64_t sumBound(std::span<const int64_t> weights,
                   std::span<const unsigned> shifts) const;

  /// The channel's result, without bias, where every input is 1 (padding too).
  int64_t responseToOnes(std::span<const int64_t> weights,
                         std::span<const unsigned> shifts) const;

private:
  struct RoundingOrder;

  /// A^T, G and B^T of both axes together.
  int64_t at(unsigned output, unsigned tap) const;
  double g(unsigned tap, unsigned weight) const;
  int64_t bt(unsigned tap, unsigned cell) const;
  std::vector<double> computeErrorForm() const;
  RoundingOrder roundingOrder(std::span<const double> steps) const;

  /// The square error of results as a form in the errors of taps, e^T R e:
  /// [taps, taps].
  const std::vector<double> errorForm;
};

} // namespace yarrow

#endif // YARROW_QUANTIZER_MATH_WINOGRADWEIGHTS_H
