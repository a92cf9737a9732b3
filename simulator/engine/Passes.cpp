//===- Passes.cpp - The output stage, a run of elements at a time ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "simulator/engine/Passes.h"

#include "simulator/engine/HostVector.h"
#include "simulator/engine/Sram.h"
#include <cmath>
#include <cstring>

using namespace yarrow;
using namespace yarrow::sim;

// Rounding to nearest, ties to even, is the mode every C++ program starts in;
// Tec::run restores it.
#define ROUND __builtin_nearbyint

static inline double lesser(double a, double b) { return a < b ? a : b; }
static inline double greater(double a, double b) { return a > b ? a : b; }

YARROW_HOST_CLONES void sim::loadSums(const int32_t *sums, size_t n,
                                      double *to) {
  for (size_t i = 0; i < n; ++i)
    to[i] = sums[i];
}
YARROW_HOST_CLONES void sim::loadSums(const int64_t *sums, size_t n,
                                      double *to) {
  for (size_t i = 0; i < n; ++i)
    to[i] = double(sums[i]);
}
YARROW_HOST_CLONES double sim::largestSum(const int64_t *sums, size_t n) {
  int64_t all = 0;
  for (size_t i = 0; i < n; ++i)
    all |= sums[i] ^ (sums[i] >> 63);
  // The bits that any |sum| uses: at most twice the largest.
  return double(uint64_t(all) + 1);
}
YARROW_HOST_CLONES void sim::addTo(double *values, const double *more,
                                   size_t n) {
  for (size_t i = 0; i < n; ++i)
    values[i] += more[i];
}
YARROW_HOST_CLONES void sim::relu(double *values, size_t n) {
  for (size_t i = 0; i < n; ++i)
    values[i] = greater(values[i], 0.0);
}
YARROW_HOST_CLONES void sim::leakyRelu(double *values, double slope, size_t n) {
  for (size_t i = 0; i < n; ++i)
    values[i] = greater(values[i], 0.0) + ROUND(lesser(values[i], 0.0) * slope);
}
YARROW_HOST_CLONES void sim::prelu(double *values, const double *slopes,
                                   size_t n) {
  for (size_t i = 0; i < n; ++i)
    values[i] =
        greater(values[i], 0.0) + ROUND(lesser(values[i], 0.0) * slopes[i]);
}
YARROW_HOST_CLONES void sim::scaleClip(double *values, const double *factors,
                                       double lo, double hi, size_t n) {
  for (size_t i = 0; i < n; ++i)
    values[i] = lesser(greater(ROUND(values[i] * factors[i]), lo), hi);
}
YARROW_HOST_CLONES void sim::scaleClip(double *values, double factor, double lo,
                                       double hi, size_t n) {
  for (size_t i = 0; i < n; ++i)
    values[i] = lesser(greater(ROUND(values[i] * factor), lo), hi);
}
YARROW_HOST_CLONES void sim::requantizeSums(const int32_t *sums,
                                            const double *bias,
                                            const double *factors, double lo,
                                            double hi, int32_t zeroPoint,
                                            int32_t *to, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    double value = (double(sums[i]) + bias[i]) * factors[i];
    // Limits are integers, so limiting first gives the same.
    to[i] = int32_t(ROUND(lesser(greater(value, lo), hi)) - zeroPoint);
  }
}
YARROW_HOST_CLONES void sim::alignSum(double *a, double aZero, double aScale,
                                      const double *b, double bZero,
                                      double bScale, size_t n) {
  for (size_t i = 0; i < n; ++i)
    a[i] = (a[i] + aZero) * aScale + (b[i] + bZero) * bScale;
}
YARROW_HOST_CLONES void sim::toInts(const double *values, int32_t zeroPoint,
                                    int32_t *to, size_t n) {
  // In int64: value - zeroPoint fits int32, the value alone may not.
  for (size_t i = 0; i < n; ++i)
    to[i] = int32_t(values[i] - zeroPoint);
}

template <typename T, typename To>
static inline __attribute__((always_inline)) void loadAs(const uint8_t *from,
                                                         size_t n, To *to) {
  for (size_t i = 0; i < n; ++i) {
    T element;
    std::memcpy(&element, from + i * sizeof(T), sizeof(T));
    to[i] = To(int32_t(element));
  }
}
template <typename To>
static inline __attribute__((always_inline)) void
loadOfType(isa::ElementType type, const uint8_t *from, size_t n, To *to) {
  switch (type) {
  case isa::ElementType::I8:
    return loadAs<int8_t>(from, n, to);
  case isa::ElementType::U8:
    return loadAs<uint8_t>(from, n, to);
  case isa::ElementType::I16:
    return loadAs<int16_t>(from, n, to);
  case isa::ElementType::U16:
    return loadAs<uint16_t>(from, n, to);
  default:
    return loadAs<int32_t>(from, n, to);
  }
}
YARROW_HOST_CLONES void sim::loadElements(isa::ElementType type,
                                          const uint8_t *from, size_t n,
                                          double *to) {
  loadOfType(type, from, n, to);
}
YARROW_HOST_CLONES void sim::loadElements(isa::ElementType type,
                                          const uint8_t *from, size_t n,
                                          int32_t *to) {
  loadOfType(type, from, n, to);
}

YARROW_HOST_CLONES static void storeBytes(const int32_t *from, size_t n,
                                          uint8_t *to) {
  for (size_t i = 0; i < n; ++i)
    to[i] = uint8_t(from[i]);
}
YARROW_HOST_CLONES static void storeHalves(const int32_t *from, size_t n,
                                           uint8_t *to) {
  for (size_t i = 0; i < n; ++i) {
    auto half = uint16_t(from[i]);
    std::memcpy(to + i * 2, &half, 2);
  }
}
void sim::storeElements(isa::ElementType type, const int32_t *from, size_t n,
                        uint8_t *to) {
  switch (isa::elementBytes(type)) {
  case 1:
    return storeBytes(from, n, to);
  case 2:
    return storeHalves(from, n, to);
  default:
    std::memcpy(to, from, n * 4);
  }
}

YARROW_HOST_CLONES void sim::accumulate(int64_t *sums, const int32_t *more,
                                        int64_t factor, size_t n) {
  for (size_t i = 0; i < n; ++i)
    sums[i] += more[i] * factor;
}
