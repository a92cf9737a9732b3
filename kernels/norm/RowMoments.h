//===- RowMoments.h - Statistics of several rows at once --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A mean and an inverse square root take longer than the sums over a short row.
// So the rows of a few groups are summed up first, and what follows from their
// sums is computed for all of them: each row is a lane.
//
//   int32_t sums[kRowLanes] = {}; uint32_t squares[kRowLanes] = {};
//   for (uint32_t r = 0; r < n; ++r)
//     momentsOfRow<int8_t>(input, r * length, length, sums[r], squares[r]);
//   RowLanes<int32_t> lanes, means;
//   loadLanes(sums, lanes);
//   roundedMeans(lanes, length, means);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_NORM_ROWMOMENTS_H
#define YARROW_KERNELS_NORM_ROWMOMENTS_H

#include "kernels/Math.h"
#include "kernels/StripRuns.h"

namespace yarrow::kernels {

/// Rows at once: 64-bit lanes of two vector registers.
constexpr uint32_t kRowLanes = 8;

template <typename T>
using RowLanes __attribute__((vector_size(kRowLanes * sizeof(T)))) = T;

/// The longest row whose sums of bytes fit 16 bits in each of the lanes below,
/// and whose squares of at most 2^18 fit 31.
constexpr uint32_t kMomentsRow = 8192;

template <typename T>
inline void loadLanes(const T (&values)[kRowLanes], RowLanes<T> &lanes) {
  __builtin_memcpy(&lanes, values, sizeof(lanes));
}
template <typename T>
inline void storeLanes(const RowLanes<T> &lanes, T (&values)[kRowLanes]) {
  __builtin_memcpy(values, &lanes, sizeof(lanes));
}

/// The sum of a row of at most kMomentsRow bytes, and that of its squares.
template <typename Byte>
inline void momentsOfRow(const void *src, uint32_t first, uint32_t n,
                         int32_t &sum, uint32_t &squares) {
  constexpr uint32_t kCount = 64;
  typedef Byte Values __attribute__((vector_size(kCount)));
  typedef int16_t Sums __attribute__((vector_size(kCount * sizeof(int16_t))));
  typedef uint16_t Squares __attribute__((vector_size(kCount * sizeof(short))));
  typedef int32_t Words __attribute__((vector_size(kCount * sizeof(int32_t))));
  typedef uint32_t Wide __attribute__((vector_size(kCount * sizeof(uint32_t))));
  const Byte *from = static_cast<const Byte *>(src) + first;
  Sums sums{};
  Wide allSquares{};
  auto add = [&](const Values &x) {
    sums += __builtin_convertvector(x, Sums);
    // A square fits 16 bits without a sign, and wraps to that from any type.
    Squares square = __builtin_convertvector(x, Squares);
    allSquares += __builtin_convertvector(square * square, Wide);
  };
  uint32_t i = 0;
  for (; i + kCount <= n; i += kCount) {
    Values x;
    __builtin_memcpy(&x, from + i, kCount);
    add(x);
  }
  if (i < n) {
    Values x{};
    __builtin_memcpy(&x, from + i, n - i);
    add(x);
  }
  sum = n <= kLaneSums
            ? __builtin_reduce_add(sums)
            : __builtin_reduce_add(__builtin_convertvector(sums, Words));
  squares = __builtin_reduce_add(allSquares);
}

/// RNE(sums / terms).
inline void roundedMeans(const RowLanes<int32_t> &sums, double terms,
                         RowLanes<int32_t> &means) {
  RowLanes<double> mean =
      __builtin_convertvector(sums, RowLanes<double>) / terms;
  auto bits = __builtin_bit_cast(RowLanes<int64_t>, mean + math::kRoundMagic);
  means = __builtin_convertvector(bits, RowLanes<int32_t>);
}

/// to = table[index] of each lane.
inline void gatherLanes(const int16_t *table, const RowLanes<int32_t> &index,
                        RowLanes<int32_t> &to) {
  typedef int32_t Places __attribute__((ext_vector_type(kRowLanes)));
  typedef bool Lanes __attribute__((ext_vector_type(kRowLanes)));
  auto from = __builtin_bit_cast(
      RowLanes<int16_t>,
      __builtin_masked_gather(Lanes(-1), __builtin_bit_cast(Places, index),
                              table));
  to = __builtin_convertvector(from, RowLanes<int32_t>);
}

/// inverseSqrt (InverseSqrt.h) of each lane, of at most 31 bits.
inline void inverseSqrtLanes(const RowLanes<uint32_t> &v, const int16_t *table,
                             RowLanes<int64_t> &roots) {
  // The exponent of a double is the logarithm, rounded down. 0 counts as 1.
  auto positive = __builtin_elementwise_max(v, RowLanes<uint32_t>{} + 1u);
  auto bits = __builtin_bit_cast(
      RowLanes<uint64_t>, __builtin_convertvector(positive, RowLanes<double>));
  auto log2 = __builtin_convertvector(bits >> 52, RowLanes<uint32_t>) - 1023u;
  // At bit 30, and one below where 31 - shifts = log2 + 1 is odd.
  RowLanes<uint32_t> normal = v << (30u - log2);
  normal >>= ((log2 + 1u) & 1u) + 7u;
  auto entry = __builtin_convertvector(normal >> 16, RowLanes<int32_t>) - 64;
  entry = __builtin_elementwise_max(entry, RowLanes<int32_t>{});
  entry = __builtin_elementwise_min(entry, RowLanes<int32_t>{} + 191);
  RowLanes<int32_t> low, next;
  gatherLanes(table, entry, low);
  gatherLanes(table, entry + 1, next);
  auto fraction =
      __builtin_convertvector((normal >> 1) & 0x7fffu, RowLanes<int64_t>);
  auto step = __builtin_convertvector(low - next, RowLanes<int64_t>);
  auto high = __builtin_convertvector(low, RowLanes<int64_t>) << 16;
  roots = (high - ((step * fraction) << 1)) >>
          __builtin_convertvector(log2 >> 1, RowLanes<int64_t>);
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_NORM_ROWMOMENTS_H
