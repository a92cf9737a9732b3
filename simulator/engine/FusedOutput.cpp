//===- FusedOutput.cpp - Output stages of bytes in one pass ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// 16 channels at a time, whose factors stay in registers, pixel after pixel.
//
//===----------------------------------------------------------------------===//
#include "simulator/engine/FusedOutput.h"

#if defined(__x86_64__)

#include <immintrin.h>

using namespace yarrow::sim;

#define YARROW_AVX512                                                          \
  __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,fma")))
#define YARROW_AVX512_INLINE                                                   \
  YARROW_AVX512 __attribute__((always_inline)) static inline

bool yarrow::sim::hostFusesOutputs() {
  static const bool has =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("fma");
  return has;
}

namespace {
/// 16 of a kind.
struct Doubles {
  __m512d low, high;
};
} // namespace

YARROW_AVX512_INLINE Doubles toDoubles(__m512i ints) {
  return {_mm512_cvtepi32_pd(_mm512_castsi512_si256(ints)),
          _mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(ints, 1))};
}

/// RNE, limited. What is below all int32 becomes the least one.
YARROW_AVX512_INLINE __m512i toInts(Doubles values, __m512i lo, __m512d hi) {
  __m256i low = _mm512_cvtpd_epi32(_mm512_min_pd(values.low, hi));
  __m256i high = _mm512_cvtpd_epi32(_mm512_min_pd(values.high, hi));
  __m512i ints = _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
  return _mm512_max_epi32(ints, lo);
}

template <bool HasResidual, bool IsSigned>
YARROW_AVX512 static void fuse(const FusedOutput &s, const FusedPlace &p,
                               const double *biases, const double *allFactors) {
  __m512i lo = _mm512_set1_epi32(s.lo), zero = _mm512_set1_epi32(s.zeroPoint);
  __m512d hi = _mm512_set1_pd(s.hi);
  __m512i mainOffset = _mm512_set1_epi32(s.mainOffset);
  __m512i residualOffset = _mm512_set1_epi32(s.residualOffset);
  __m512i scales =
      _mm512_set1_epi32(int32_t(uint32_t(uint16_t(s.mainScale)) |
                                uint32_t(uint16_t(s.residualScale)) << 16));
  __m512i least = _mm512_set1_epi32(s.sumIsRelu ? 0 : INT32_MIN);
  __m512d sumFactor = _mm512_set1_pd(s.sumFactor);
  __m512i sumLo = _mm512_set1_epi32(s.sumLo);
  __m512d sumHi = _mm512_set1_pd(s.sumHi);
  __m512i sumZero = _mm512_set1_epi32(s.sumZeroPoint);
  constexpr __mmask32 kOddHalves = 0xaaaaaaaa;
  for (uint32_t c = 0; c < p.channels; c += 16) {
    uint32_t count = p.channels - c < 16 ? p.channels - c : 16;
    auto lanes = __mmask16((1u << count) - 1);
    auto lowLanes = __mmask8(lanes), highLanes = __mmask8(lanes >> 8);
    Doubles factors = {_mm512_maskz_loadu_pd(lowLanes, allFactors + c),
                       _mm512_maskz_loadu_pd(highLanes, allFactors + c + 8)};
    Doubles bias = {_mm512_maskz_loadu_pd(lowLanes, biases + c),
                    _mm512_maskz_loadu_pd(highLanes, biases + c + 8)};
    bias.low = _mm512_mul_pd(bias.low, factors.low);
    bias.high = _mm512_mul_pd(bias.high, factors.high);
    const int32_t *sums = p.sums + c;
    const uint8_t *residual = p.residual + c;
    uint8_t *to = p.to + c;
    for (uint32_t i = 0; i < p.pixels; ++i) {
      Doubles values = toDoubles(_mm512_maskz_loadu_epi32(lanes, sums));
      values.low = _mm512_fmadd_pd(values.low, factors.low, bias.low);
      values.high = _mm512_fmadd_pd(values.high, factors.high, bias.high);
      __m512i result = toInts(values, lo, hi);
      if constexpr (HasResidual) {
        __m128i bytes = _mm_maskz_loadu_epi8(lanes, residual);
        __m512i other = IsSigned ? _mm512_cvtepi8_epi32(bytes)
                                 : _mm512_cvtepu8_epi32(bytes);
        result = _mm512_add_epi32(result, mainOffset);
        other = _mm512_add_epi32(other, residualOffset);
        __m512i pairs = _mm512_mask_blend_epi16(kOddHalves, result,
                                                _mm512_slli_epi32(other, 16));
        __m512i sum = _mm512_max_epi32(_mm512_madd_epi16(pairs, scales), least);
        values = toDoubles(sum);
        values.low = _mm512_mul_pd(values.low, sumFactor);
        values.high = _mm512_mul_pd(values.high, sumFactor);
        result = _mm512_sub_epi32(toInts(values, sumLo, sumHi), sumZero);
        residual += p.residualStride;
      } else {
        result = _mm512_sub_epi32(result, zero);
      }
      _mm_mask_storeu_epi8(to, lanes, _mm512_cvtepi32_epi8(result));
      sums += p.sumsPitch;
      to += p.toStride;
    }
  }
}

void yarrow::sim::fuseOutput(const FusedOutput &stage, const FusedPlace &place,
                             const double *bias, const double *factors) {
  if (!stage.hasResidual)
    return fuse<false, false>(stage, place, bias, factors);
  return stage.residualIsSigned
             ? fuse<true, true>(stage, place, bias, factors)
             : fuse<true, false>(stage, place, bias, factors);
}

#else

bool yarrow::sim::hostFusesOutputs() { return false; }
void yarrow::sim::fuseOutput(const FusedOutput &, const FusedPlace &,
                             const double *, const double *) {}

#endif
