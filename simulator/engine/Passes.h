//===- Passes.h - The output stage, a run of elements at a time -*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Loops over a few hundred elements in the first-level cache, vectorized for
// the host. Sums are held as doubles: a requantization RNE(sum * scale / 2^s)
// is one exact product and one rounding while |sum * scale| < 2^53, which
// callers make sure of (kExactLimit); beyond, they compute in integers.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_ENGINE_PASSES_H
#define YARROW_SIMULATOR_ENGINE_PASSES_H

#include "isa/Types.h"
#include <cstddef>
#include <cstdint>

namespace yarrow::sim {

/// Integers of this size or less are exact in a double.
inline constexpr double kExactLimit = 9007199254740992.0;

/// Elements that a pass handles at most.
inline constexpr size_t kPassElements = 512;

void loadSums(const int32_t *sums, size_t n, double *to);
void loadSums(const int64_t *sums, size_t n, double *to);
/// Largest |sum|, as a double that is never too small.
double largestSum(const int64_t *sums, size_t n);
void addTo(double *values, const double *more, size_t n);
void relu(double *values, size_t n);
/// max(v, 0) + RNE(min(v, 0) * slope)
void leakyRelu(double *values, double slope, size_t n);
void prelu(double *values, const double *slopes, size_t n);
/// RNE(v * factor), limited to [lo, hi].
void scaleClip(double *values, const double *factors, double lo, double hi,
               size_t n);
void scaleClip(double *values, double factor, double lo, double hi, size_t n);
/// int32(RNE((sum + bias) * factor), limited to [lo, hi]) - zeroPoint: the
/// passes of a plain requantization in one. RELU is a limit, since factors are
/// not negative.
void requantizeSums(const int32_t *sums, const double *bias,
                    const double *factors, double lo, double hi,
                    int32_t zeroPoint, int32_t *to, size_t n);
/// (a + aZero) * aScale + (b + bZero) * bScale
void alignSum(double *a, double aZero, double aScale, const double *b,
              double bZero, double bScale, size_t n);
/// int32(values) - zeroPoint
void toInts(const double *values, int32_t zeroPoint, int32_t *to, size_t n);

/// Elements in memory to numbers, ints to elements in memory (which they fit).
void loadElements(isa::ElementType type, const uint8_t *from, size_t n,
                  double *to);
void loadElements(isa::ElementType type, const uint8_t *from, size_t n,
                  int32_t *to);
void storeElements(isa::ElementType type, const int32_t *from, size_t n,
                   uint8_t *to);

/// sum += more, both int64 / int32.
void accumulate(int64_t *sums, const int32_t *more, int64_t factor, size_t n);

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_ENGINE_PASSES_H
