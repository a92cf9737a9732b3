//===- DepthwiseMoments.h - Moments of many small sums ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The first and second moments of what meets the weights of a depthwise layer.
// Each channel has a matrix of its own, of as many rows as the kernel has
// positions: too few to be multiplied as matrices, so that all channels are
// taken side by side.
//
//   DepthwiseMoments moments(taps, channels, /*isCross=*/true);
//   moments.add(floats, integers); // rows of [tap, channel]
//   std::vector<InputMoments> result = moments.finish();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_ROUNDING_DEPTHWISEMOMENTS_H
#define YARROW_QUANTIZER_ROUNDING_DEPTHWISEMOMENTS_H

#include "quantizer/rounding/InputMoments.h"

#include <cstddef>
#include <span>
#include <vector>

namespace yarrow {

class DepthwiseMoments {
public:
  /// \p isCross: of the second network's inputs, and of the first's by them;
  /// else of the first's alone.
  DepthwiseMoments(std::size_t taps, std::size_t channels, bool isCross);

  /// Rows of [tap, channel]; \p integers is empty without isCross.
  void add(std::span<const float> floats, std::span<const float> integers);

  /// One per channel, around the means.
  std::vector<InputMoments> finish() const;

private:
  /// Channels that are taken side by side: what a vector of the host holds, or
  /// a few of these.
  static constexpr std::size_t kLanes = 16;

  void addBlock(std::span<const float> floats, std::span<const float> integers,
                std::size_t block);

  std::size_t taps, channels, count = 0;
  bool isCross;
  /// By block of channels: [tap, lane], [tap, tap, lane].
  std::size_t numBlocks;
  std::vector<double> floatSums, intSums, second, cross;
};

} // namespace yarrow

#endif // YARROW_QUANTIZER_ROUNDING_DEPTHWISEMOMENTS_H
