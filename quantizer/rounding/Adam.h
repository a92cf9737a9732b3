//===- Adam.h - Steps along slopes, and samples by turns --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What all methods that learn share: Adam's steps, and the order in which
// samples take part, which a seed decides.
//
//   SampleOrder order(64, seed);
//   Adam adam(values.size(), 0.001);
//   for (std::size_t s : order.next(8)) ...; // add to slopes
//   adam.step(slopes, values);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_ROUNDING_ADAM_H
#define YARROW_QUANTIZER_ROUNDING_ADAM_H

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace yarrow {

/// Adam (Kingma and Ba, 2014) for one array of parameters.
class Adam {
public:
  Adam(std::size_t size, double rate) : rate(rate), first(size), second(size) {}
  void setRate(double newRate) { rate = newRate; }
  void step(std::span<const float> gradient, std::span<float> values);

private:
  double rate;
  uint64_t count = 0;
  std::vector<float> first, second;
};

class SampleOrder {
public:
  SampleOrder(std::size_t samples, uint64_t seed);
  /// \p count samples, in an order that is new each time that all have been
  /// seen. Valid until the next call.
  const std::vector<std::size_t> &next(std::size_t count);

private:
  std::mt19937_64 random;
  std::vector<std::size_t> order, batch;
  std::size_t at;
};

} // namespace yarrow

#endif // YARROW_QUANTIZER_ROUNDING_ADAM_H
