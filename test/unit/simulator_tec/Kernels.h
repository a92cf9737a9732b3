//===- Kernels.h - Programs that host and TEC both run ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Kernels.c is compiled for the host and, with -O3 and the V extension, for the
// TEC; both must write the same bytes. A kernel reads `in` (random bytes), and
// may write kOutBytes of `out`.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_SIMULATOR_TEC_KERNELS_H
#define YARROW_TEST_UNIT_SIMULATOR_TEC_KERNELS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { kInBytes = 32768, kOutBytes = 16384, kMaxCount = 1000 };

typedef void (*Kernel)(const uint8_t *in, uint8_t *out, int count);

#define YARROW_TEST_KERNELS(X)                                                 \
  X(addBytes)                                                                  \
  X(mulHalves)                                                                 \
  X(addWords)                                                                  \
  X(mulDoubleWords)                                                            \
  X(requantize)                                                                \
  X(requantizeVarying)                                                         \
  X(saturatingAdd)                                                             \
  X(shifts)                                                                    \
  X(shifts64)                                                                  \
  X(dotProduct)                                                                \
  X(sumDoubleWords)                                                            \
  X(minMax)                                                                    \
  X(minMaxFloat)                                                               \
  X(lookUpBytes)                                                               \
  X(lookUpHalves)                                                              \
  X(scatterWords)                                                              \
  X(strided)                                                                   \
  X(transpose)                                                                 \
  X(deinterleave)                                                              \
  X(interleave)                                                                \
  X(reverse)                                                                   \
  X(copyBytes)                                                                 \
  X(fillBytes)                                                                 \
  X(divideWords)                                                               \
  X(divideBytes)                                                               \
  X(sortWords)                                                                 \
  X(collatz)                                                                   \
  X(crc32)                                                                     \
  X(conditional)                                                               \
  X(compress)                                                                  \
  X(findByte)                                                                  \
  X(prefixSum)                                                                 \
  X(floatArithmetic)                                                           \
  X(doubleArithmetic)                                                          \
  X(fusedFloat)                                                                \
  X(fusedDouble)                                                               \
  X(polynomialExp)                                                             \
  X(floatSum)                                                                  \
  X(softmaxLike)                                                               \
  X(floatToInt)                                                                \
  X(intToFloat)                                                                \
  X(narrowFloat)                                                               \
  X(roundings)                                                                 \
  X(squareRoots)                                                               \
  X(rawFloatBits)                                                              \
  X(matrixProduct)                                                             \
  X(convolution)                                                               \
  X(highProducts)                                                              \
  X(averages)                                                                  \
  X(widening)                                                                  \
  X(atomics)

extern const Kernel kernelTable[];

#ifdef __cplusplus
}
#endif

#endif // YARROW_TEST_UNIT_SIMULATOR_TEC_KERNELS_H
