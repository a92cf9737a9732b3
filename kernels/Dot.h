//===- Dot.h - Inner products ---------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Convolutions and matrix products are made of these: one vector of activations
// against a block of weight rows, so that each activation is loaded once per
// block. Sums are exact in any order; those of floats are in FloatTile.h.
//
//   int64_t acc[kDotRows] = {};
//   dotRows(x, weights, /*rowStride=*/n, /*rows=*/4, n, acc);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_DOT_H
#define YARROW_KERNELS_DOT_H

#include "kernels/Elements.h"

namespace yarrow::kernels {

constexpr uint32_t kDotRows = 4;

// The options of the function that chooses the host's vectors reach the loops.
#ifdef __x86_64__
#define YARROW_DOT_INLINE __attribute__((always_inline)) inline
#else
#define YARROW_DOT_INLINE inline
#endif

/// The longest sum of products of these types that surely fits 32 bits:
/// |x| <= 255, |w| <= 128 gives 2^31 / 2^15; |x| <= 65535, |w| <= 128 gives
/// 256, since 256 * 65535 * 128 < 2^31; 16-bit weights and 32-bit inputs have
/// to sum in 64 bits.
template <typename In, typename Weight> constexpr uint32_t safeTerms() {
  return sizeof(Weight) > 1 || sizeof(In) > 2 ? 0
         : sizeof(In) == 1                    ? 65535
                                              : 256;
}

/// acc[r] += sum over i < n of x[i] * w[r * rowStride + i], for r < Rows. Sums
/// of Terms products are in 32 bits; 0: all of it is in 64.
template <uint32_t Rows, uint32_t Terms, typename In, typename Weight>
YARROW_DOT_INLINE void dotBlock(const In *x, const Weight *w, int64_t rowStride,
                                uint32_t n, int64_t *acc) {
  if constexpr (Terms == 0) {
    for (uint32_t r = 0; r < Rows; ++r) {
      int64_t sum = 0;
      for (uint32_t i = 0; i < n; ++i)
        sum += int64_t(x[i]) * w[r * rowStride + i];
      acc[r] += sum;
    }
  } else {
    for (uint32_t start = 0; start < n; start += Terms) {
      uint32_t end = n - start < Terms ? n : start + Terms;
      int32_t sum[Rows] = {};
      for (uint32_t i = start; i < end; ++i)
        for (uint32_t r = 0; r < Rows; ++r)
          sum[r] += int32_t(x[i]) * w[r * rowStride + i];
      for (uint32_t r = 0; r < Rows; ++r)
        acc[r] += sum[r];
    }
  }
}

/// dotRows of values of which the caller knows that Terms products fit 32 bits.
template <uint32_t Terms, typename In, typename Weight>
YARROW_DOT_INLINE void dotRowsOf(const In *x, const Weight *w,
                                 int64_t rowStride, uint32_t rows, uint32_t n,
                                 int64_t *acc) {
  uint32_t r = 0;
  for (; r + kDotRows <= rows; r += kDotRows)
    dotBlock<kDotRows, Terms>(x, w + r * rowStride, rowStride, n, acc + r);
  for (; r < rows; ++r)
    dotBlock<1, Terms>(x, w + r * rowStride, rowStride, n, acc + r);
}

#ifdef __x86_64__
/// dotRows with the host's widest vectors (kernels/host/DotRows.cpp), for
/// inputs and weights of 8 and 16 bits.
template <typename In, typename Weight>
using DotRows = void(const In *x, const Weight *w, int64_t rowStride,
                     uint32_t rows, uint32_t n, int64_t *acc);
template <typename In, typename Weight> DotRows<In, Weight> *dotRowsOfHost();
#endif

template <typename In, typename Weight>
inline void dotRows(const In *x, const Weight *w, int64_t rowStride,
                    uint32_t rows, uint32_t n, int64_t *acc) {
#ifdef __x86_64__
  if constexpr (sizeof(In) <= 2) {
    static DotRows<In, Weight> *const dot = dotRowsOfHost<In, Weight>();
    return dot(x, w, rowStride, rows, n, acc);
  }
#endif
  dotRowsOf<safeTerms<In, Weight>()>(x, w, rowStride, rows, n, acc);
}

/// Calls fn(const In *, const Weight *) with the pointers' real types.
template <typename In, typename Fn>
inline void withWeightType(DType weightType, const In *x, const void *w,
                           Fn fn) {
  if (weightType == DType::I8)
    fn(x, static_cast<const int8_t *>(w));
  else
    fn(x, static_cast<const int16_t *>(w));
}
template <typename Fn>
inline void withTypes(DType inType, DType weightType, const void *x,
                      const void *w, Fn fn) {
  switch (inType) {
  case DType::I8:
    return withWeightType(weightType, static_cast<const int8_t *>(x), w, fn);
  case DType::U8:
    return withWeightType(weightType, static_cast<const uint8_t *>(x), w, fn);
  case DType::I16:
    return withWeightType(weightType, static_cast<const int16_t *>(x), w, fn);
  default:
    return withWeightType(weightType, static_cast<const uint16_t *>(x), w, fn);
  }
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_DOT_H
