//===- Philox.h - Random numbers by counting --------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel Random Numbers: As Easy
// as 1, 2, 3; SC 2011): four random words are a function of a counter and a
// key, in any order and by any number of TECs. Tested with the paper's known
// answers.
//
//   Words w = philox({sample, row, 0, 0}, {seed0, seed1});
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_SELECT_PHILOX_H
#define YARROW_KERNELS_SELECT_PHILOX_H

#include <stdint.h>

namespace yarrow::kernels {

struct Words {
  uint32_t at[4];
};
struct PhiloxKey {
  uint32_t at[2];
};

inline Words philox(Words x, PhiloxKey key) {
  constexpr uint32_t kRounds = 10;
  constexpr uint64_t kFactors[] = {0xd2511f53, 0xcd9e8d57};
  // The golden ratio and the root of 3, as fractions.
  constexpr uint32_t kSteps[] = {0x9e3779b9, 0xbb67ae85};
  for (uint32_t round = 0; round < kRounds; ++round) {
    uint64_t a = kFactors[0] * x.at[0], b = kFactors[1] * x.at[2];
    x = {{uint32_t(b >> 32) ^ x.at[1] ^ key.at[0], uint32_t(b),
          uint32_t(a >> 32) ^ x.at[3] ^ key.at[1], uint32_t(a)}};
    key = {{key.at[0] + kSteps[0], key.at[1] + kSteps[1]}};
  }
  return x;
}

/// A fraction in [0, 1) of the upper 53 bits of two words, exact.
inline double fractionOf(uint32_t high, uint32_t low) {
  return double(high) * 0x1p-32 + double(low >> 11) * 0x1p-53;
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_SELECT_PHILOX_H
