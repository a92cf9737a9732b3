//===- Sampler.h - The next token from its logits ---------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The most likely token, or one that is drawn: from the likeliest ones, with
// the probabilities that their logits have at a temperature. The same seed
// draws the same tokens on every host.
//
//   Sampler sampler({.temperature = 0.8, .topK = 40, .seed = 7});
//   std::int32_t token = sampler.choose(logits);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_GENERATE_SAMPLER_H
#define YARROW_COMPILER_GENERATE_SAMPLER_H

#include <cstdint>
#include <span>
#include <vector>

namespace yarrow {

struct SamplerOptions {
  double temperature = 0; ///< 0: the most likely token.
  std::size_t topK = 0;   ///< 0: all tokens.
  uint64_t seed = 0;
};

class Sampler {
public:
  explicit Sampler(const SamplerOptions &options)
      : options(options), state(options.seed) {}

  /// One of at least one token; the first one of equal logits.
  std::int32_t choose(std::span<const float> logits);

private:
  double uniform();

  SamplerOptions options;
  uint64_t state;
};

} // namespace yarrow

#endif // YARROW_COMPILER_GENERATE_SAMPLER_H
