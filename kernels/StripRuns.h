//===- StripRuns.h - Sums and extremes of runs in registers -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Reductions of consecutive integers, strip by strip (Strips.h).
//
//   int32_t sum = sumOfRun<int8_t>(input, row * n, n);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_STRIPRUNS_H
#define YARROW_KERNELS_STRIPRUNS_H

#include "kernels/Strips.h"

namespace yarrow::kernels {

template <typename T>
constexpr T kLowest = T(T(-1) < 0 ? T(1) << (8 * sizeof(T) - 1) : 0);

/// The greatest, or the least, of the n integers from `index` on, n > 0.
template <typename T>
inline T extremeOf(bool isGreatest, const void *src, int64_t index,
                   uint32_t n) {
  T other = isGreatest ? kLowest<T> : T(~kLowest<T>);
  Strip<T> extreme = Strip<T>{} + other;
  forEachStrip(0, n, [&](uint32_t i, auto size) {
    Strip<T> x;
    loadStrip<T>(src, index + i, size, x);
    fillBeyond(x, size, other);
    extreme = isGreatest ? __builtin_elementwise_max(extreme, x)
                         : __builtin_elementwise_min(extreme, x);
  });
  return isGreatest ? __builtin_reduce_max(extreme)
                    : __builtin_reduce_min(extreme);
}
template <typename T>
inline T greatestOf(const void *src, int64_t index, uint32_t n) {
  return extremeOf<T>(/*isGreatest=*/true, src, index, n);
}

/// What holds sums of kLaneSums values of T.
constexpr uint32_t kLaneSums = 128;
template <typename T> struct SumLaneOf {
  using Type = int32_t;
};
template <> struct SumLaneOf<int8_t> {
  using Type = int16_t;
};
template <> struct SumLaneOf<uint8_t> {
  using Type = int16_t; // 128 * 255 = 2^15 - 128
};
template <typename T> using SumLane = typename SumLaneOf<T>::Type;

/// The sum of the n integers of at most 16 bits from `index` on, at most
/// kLaneSums times 128 bytes.
template <typename T>
inline int32_t sumOfBlock(const void *src, int64_t index, uint32_t n) {
  constexpr uint32_t kCount = 4 * kStrip / sizeof(T);
  typedef T Values __attribute__((vector_size(kCount * sizeof(T))));
  typedef SumLane<T> Sums
      __attribute__((vector_size(kCount * sizeof(SumLane<T>))));
  typedef int32_t Wide __attribute__((vector_size(kCount * sizeof(int32_t))));
  const T *from = static_cast<const T *>(src) + index;
  Sums sums{};
  uint32_t i = 0;
  for (; i + kCount <= n; i += kCount) {
    Values x;
    __builtin_memcpy(&x, from + i, sizeof(x));
    sums += __builtin_convertvector(x, Sums);
  }
  if (i < n) {
    Values x{};
    __builtin_memcpy(&x, from + i, (n - i) * sizeof(T));
    sums += __builtin_convertvector(x, Sums);
  }
  return __builtin_reduce_add(__builtin_convertvector(sums, Wide));
}

/// The same of any number, if the sum fits.
template <typename T>
inline int32_t sumOfRun(const void *src, int64_t index, uint32_t n) {
  constexpr uint32_t kBlock = kLaneSums * (4 * kStrip / sizeof(T));
  int32_t sum = 0;
  for (; n > kBlock; n -= kBlock, index += kBlock)
    sum += sumOfBlock<T>(src, index, kBlock);
  return sum + sumOfBlock<T>(src, index, n);
}

/// The sum of (x + offset)^2 of at most 4096 bytes x, |x + offset| < 2^9.
template <typename Byte>
inline int32_t squaresOfRun(const void *src, int64_t index, uint32_t n,
                            int32_t offset) {
  Strip<int32_t> squares{};
  forEachStrip(0, n, [&](uint32_t i, auto size) {
    Strip<int16_t> x;
    loadStrip<Byte>(src, index + i, size, x);
    x += int16_t(offset);
    fillBeyond(x, size, int16_t(0));
    auto wide = __builtin_convertvector(x, Strip<int32_t>);
    squares += wide * wide;
  });
  return __builtin_reduce_add(squares);
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_STRIPRUNS_H
