//===- IntegerPasses.h - The output stage in integers -----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The loops of Passes.h for what doubles do not hold: products of up to 62 bits
// (scales of 31 bits, sums of 48) and halves that are rounded up. Vectorized
// for the host as those are, with 64 bits for each element.
//
//   RoundFactors factors;                   // one for each element
//   factors.add(/*scale=*/1 << 30, /*shift=*/38, /*halfUp=*/false);
//   scaleClip(sums, factors, /*first=*/0, lo, hi, n);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_ENGINE_INTEGERPASSES_H
#define YARROW_SIMULATOR_ENGINE_INTEGERPASSES_H

#include "isa/Types.h"
#include <cstddef>
#include <cstdint>
#include <vector>

namespace yarrow::sim {

/// x -> round(x * scale / 2^shift) in terms of a loop: of a product p << left,
///   (p + bias + (p >> right & odd) >> right) - offset
/// with logical shifts, which more hosts have of 64 bits. A shift above 62
/// counts as 62; a negative one is `left`, and limits p to 64 bits.
struct RoundFactor {
  int64_t scale = 1;
  uint64_t right = 0, left = 0;
  /// Half of 2^right, less one if ties go to even: then `odd` is 1, and the
  /// quotient's lowest bit carries where that is odd. And 2^63, so that the
  /// shift divides a number that is not negative; `offset` of the quotient.
  uint64_t bias = uint64_t(1) << 63, odd = 0, offset = uint64_t(1) << 63;

  static RoundFactor of(int32_t scale, int32_t shift, bool halfUp);

  int64_t round(int64_t product) const {
    return round(uint64_t(product), right, bias, odd, offset);
  }
  static __attribute__((always_inline)) int64_t round(uint64_t p,
                                                      uint64_t right,
                                                      uint64_t bias,
                                                      uint64_t odd,
                                                      uint64_t offset) {
    return int64_t(((p + bias + (p >> right & odd)) >> right) - offset);
  }
};

/// One for each element of a loop.
struct RoundFactors {
  std::vector<int64_t> scales;
  std::vector<uint64_t> rights, lefts, biases, odds, offsets;
  bool hasLeft = false;

  void add(int32_t scale, int32_t shift, bool halfUp);
};

/// round(v * scale / 2^shift), limited to [lo, hi].
void scaleClip(int64_t *values, const RoundFactors &factors, size_t first,
               int64_t lo, int64_t hi, size_t n);
void scaleClip(int64_t *values, const RoundFactor &factor, int64_t lo,
               int64_t hi, size_t n);

/// Sum + bias, as accumulators of 32 or 64 bits hold it.
void addSums(const int32_t *sums, const int64_t *bias, bool wraps32, size_t n,
             int64_t *to);
void addSums(const int64_t *sums, const int64_t *bias, bool wraps32, size_t n,
             int64_t *to);
void relu(int64_t *values, size_t n);
/// max(v, 0) + RNE(min(v, 0) * slope / 2^shift)
void prelu(int64_t *values, const int64_t *slopes, int32_t shift, size_t n);
/// (a + aZero) * aScale + (b + bZero) * bScale, or another SumOp than Add
void joinOperands(isa::SumOp op, int64_t *a, int64_t aZero, int64_t aScale,
                  const int32_t *b, int64_t bZero, int64_t bScale, size_t n);
/// int32(values - zeroPoint)
void toInts(const int64_t *values, int32_t zeroPoint, int32_t *to, size_t n);

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_ENGINE_INTEGERPASSES_H
