//===- Requantize.cpp - Requantization with the host's vectors ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Products of 64 bits and shifts by element are instructions of x86-64-v4; what
// they replace is taken element by element. One binary serves hosts with and
// without them.
//
//===----------------------------------------------------------------------===//
#include "kernels/Epilogue.h"

#ifdef __x86_64__

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

#define YARROW_V4                                                              \
  __attribute__((target("arch=x86-64-v4"), min_vector_width(512)))

YARROW_V4 void requantizeV4(const int64_t *acc, uint32_t n,
                            const int32_t *scale, const int32_t *shift,
                            const Requant &r, int32_t *out) {
  requantizeElements(acc, n, scale, shift, r, out);
}

void requantizeV2(const int64_t *acc, uint32_t n, const int32_t *scale,
                  const int32_t *shift, const Requant &r, int32_t *out) {
  requantizeElements(acc, n, scale, shift, r, out);
}

YARROW_V4 void requantizeOneV4(const int64_t *acc, uint32_t n, int32_t scale,
                               RoundShift s, const Requant &r, int32_t *out) {
  requantizeByOne(acc, n, scale, s, r, out);
}

void requantizeOneV2(const int64_t *acc, uint32_t n, int32_t scale,
                     RoundShift s, const Requant &r, int32_t *out) {
  requantizeByOne(acc, n, scale, s, r, out);
}

} // namespace

RequantizeOfHost yarrow::kernels::requantizeOfHost() {
  if (__builtin_cpu_supports("x86-64-v4"))
    return {requantizeV4, requantizeOneV4};
  return {requantizeV2, requantizeOneV2};
}

#endif
