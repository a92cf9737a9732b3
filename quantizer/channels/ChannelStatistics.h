//===- ChannelStatistics.h - What a tensor's channels hold ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Extrema and moments of each channel of a tensor, whose last axis they are,
// over any number of samples.
//
//   ChannelStatistics seen;
//   seen.add(values, channels);        // of one sample
//   all.add(seen);                     // of several
//   all.most[c], all.variance(c);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_CHANNELS_CHANNELSTATISTICS_H
#define YARROW_QUANTIZER_CHANNELS_CHANNELSTATISTICS_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace yarrow {

/// Extrema count 0 as seen.
struct ChannelStatistics {
  std::vector<float> least, most;
  std::vector<double> sums, squares;
  uint64_t count = 0; ///< Values of a channel.

  void add(std::span<const float> values, std::size_t channels) {
    least.resize(channels), most.resize(channels);
    sums.resize(channels), squares.resize(channels);
    for (std::size_t i = 0; i + channels <= values.size(); i += channels)
      for (std::size_t c = 0; c < channels; ++c) {
        float x = values[i + c];
        least[c] = std::min(least[c], x);
        most[c] = std::max(most[c], x);
        sums[c] += x;
        squares[c] += double(x) * x;
      }
    count += values.size() / channels;
  }
  void add(const ChannelStatistics &other) {
    least.resize(other.least.size()), most.resize(other.most.size());
    sums.resize(other.sums.size()), squares.resize(other.squares.size());
    for (std::size_t c = 0; c < other.least.size(); ++c) {
      least[c] = std::min(least[c], other.least[c]);
      most[c] = std::max(most[c], other.most[c]);
      sums[c] += other.sums[c];
      squares[c] += other.squares[c];
    }
    count += other.count;
  }
  double meanSquare(std::size_t c) const {
    return count ? squares[c] / double(count) : 0;
  }
  double variance(std::size_t c) const {
    double mean = count ? sums[c] / double(count) : 0;
    return meanSquare(c) - mean * mean;
  }
  double sumOfMeanSquares() const {
    double sum = 0;
    for (std::size_t c = 0; c < squares.size(); ++c)
      sum += meanSquare(c);
    return sum;
  }
};

} // namespace yarrow

#endif // YARROW_QUANTIZER_CHANNELS_CHANNELSTATISTICS_H
