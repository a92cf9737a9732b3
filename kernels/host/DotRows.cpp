//===- DotRows.cpp - Inner products with the host's vectors ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// One binary serves hosts with and without wide vectors. On those of x86-64-v3,
// 16 products are two instructions (vpmaddwd adds them in pairs to 32 bits)
// where the types allow it; what is left over takes 8 or 1 at a time.
//
//===----------------------------------------------------------------------===//
#include "kernels/Dot.h"

#ifdef __x86_64__
#include <immintrin.h>
#include <type_traits>

using namespace yarrow::kernels;

#define YARROW_V3 __attribute__((target("arch=x86-64-v3")))
#define YARROW_V3_INLINE                                                       \
  __attribute__((target("arch=x86-64-v3"), always_inline)) inline

namespace {

YARROW_V3_INLINE __m256i load16(const int8_t *p) {
  return _mm256_cvtepi8_epi16(
      _mm_loadu_si128(reinterpret_cast<const __m128i *>(p)));
}
YARROW_V3_INLINE __m256i load16(const uint8_t *p) {
  return _mm256_cvtepu8_epi16(
      _mm_loadu_si128(reinterpret_cast<const __m128i *>(p)));
}
YARROW_V3_INLINE __m256i load16(const int16_t *p) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i *>(p));
}
YARROW_V3_INLINE __m128i load8(const int8_t *p) {
  return _mm_cvtepi8_epi16(
      _mm_loadl_epi64(reinterpret_cast<const __m128i *>(p)));
}
YARROW_V3_INLINE __m128i load8(const uint8_t *p) {
  return _mm_cvtepu8_epi16(
      _mm_loadl_epi64(reinterpret_cast<const __m128i *>(p)));
}
YARROW_V3_INLINE __m128i load8(const int16_t *p) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i *>(p));
}

/// The sum of all lanes.
YARROW_V3_INLINE int32_t sumOfLanes(__m256i v) {
  __m128i four =
      _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
  __m128i two = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4E));
  return _mm_cvtsi128_si32(_mm_add_epi32(two, _mm_shuffle_epi32(two, 0xB1)));
}

/// acc[r] += the sum of n products, of which safeTerms says that any of them
/// fit 32 bits together: so do those of a lane.
template <uint32_t Rows, typename In>
YARROW_V3_INLINE void addProducts(const In *x, const int8_t *w,
                                  int64_t rowStride, uint32_t n, int64_t *acc) {
  __m256i sums[Rows] = {};
  uint32_t i = 0;
  for (; i + 16 <= n; i += 16) {
    __m256i values = load16(x + i);
    for (uint32_t r = 0; r < Rows; ++r)
      sums[r] = _mm256_add_epi32(
          sums[r], _mm256_madd_epi16(values, load16(w + r * rowStride + i)));
  }
  if (i + 8 <= n) {
    __m128i values = load8(x + i);
    for (uint32_t r = 0; r < Rows; ++r)
      sums[r] =
          _mm256_add_epi32(sums[r], _mm256_zextsi128_si256(_mm_madd_epi16(
                                        values, load8(w + r * rowStride + i))));
    i += 8;
  }
  for (uint32_t r = 0; r < Rows; ++r) {
    int32_t sum = sumOfLanes(sums[r]);
    for (uint32_t k = i; k < n; ++k)
      sum += int32_t(x[k]) * w[r * rowStride + k];
    acc[r] += sum;
  }
}

/// dotRowsOf<safeTerms<In, Weight>()>.
template <typename In, typename Weight>
YARROW_V3 void dotRowsV3(const In *x, const Weight *w, int64_t rowStride,
                         uint32_t rows, uint32_t n, int64_t *acc) {
  constexpr uint32_t kTerms = safeTerms<In, Weight>();
  // vpmaddwd reads 16 bits with a sign.
  if constexpr (sizeof(Weight) == 1 && !std::is_same_v<In, uint16_t>) {
    for (uint32_t start = 0; start < n; start += kTerms) {
      uint32_t count = n - start < kTerms ? n - start : kTerms;
      const In *from = x + start;
      const Weight *weights = w + start;
      uint32_t r = 0;
      for (; r + kDotRows <= rows; r += kDotRows)
        addProducts<kDotRows>(from, weights + r * rowStride, rowStride, count,
                              acc + r);
      for (; r < rows; ++r)
        addProducts<1>(from, weights + r * rowStride, rowStride, count,
                       acc + r);
    }
  } else {
    dotRowsOf<kTerms>(x, w, rowStride, rows, n, acc);
  }
}

template <typename In, typename Weight>
void dotRowsV2(const In *x, const Weight *w, int64_t rowStride, uint32_t rows,
               uint32_t n, int64_t *acc) {
  dotRowsOf<safeTerms<In, Weight>()>(x, w, rowStride, rows, n, acc);
}

} // namespace

template <typename In, typename Weight>
DotRows<In, Weight> *yarrow::kernels::dotRowsOfHost() {
  return __builtin_cpu_supports("x86-64-v3") ? dotRowsV3<In, Weight>
                                             : dotRowsV2<In, Weight>;
}

#define INSTANTIATE(IN)                                                        \
  template DotRows<IN, int8_t> *yarrow::kernels::dotRowsOfHost<IN, int8_t>();  \
  template DotRows<IN, int16_t> *yarrow::kernels::dotRowsOfHost<IN, int16_t>();
INSTANTIATE(int8_t)
INSTANTIATE(uint8_t)
INSTANTIATE(int16_t)
INSTANTIATE(uint16_t)

#endif
