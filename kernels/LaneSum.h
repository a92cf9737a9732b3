//===- LaneSum.h - Float sums in a fixed order ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Sums of floats in double, kept in partial sums so that the loop vectorizes
// and added up in one order so that host and TEC agree to the last bit.
//
//   LaneSum sum;
//   sum.add(x, n);
//   double mean = sum.total() / n;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_LANESUM_H
#define YARROW_KERNELS_LANESUM_H

#include <stdint.h>

namespace yarrow::kernels {

class LaneSum {
public:
  /// Value i of a row is added to lane i modulo this one.
  static constexpr uint32_t kWidth = 8;

  void add(const float *x, uint32_t n) {
    uint32_t i = 0;
    for (; i + kWidth <= n; i += kWidth) {
      Floats v;
      __builtin_memcpy(&v, x + i, sizeof(v));
      lanes += __builtin_convertvector(v, Doubles);
    }
    for (uint32_t k = 0; i < n; ++i, ++k)
      lanes[k] += double(x[i]);
  }
  double total() const {
    double s = 0;
    for (uint32_t k = 0; k < kWidth; ++k)
      s += lanes[k];
    return s;
  }

private:
  // Vectors by name: left to itself LLVM keeps the order of each lane by
  // reductions over strided loads, which run one element at a time.
  typedef float Floats __attribute__((vector_size(kWidth * sizeof(float))));
  typedef double Doubles __attribute__((vector_size(kWidth * sizeof(double))));
  Doubles lanes = {};
};

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_LANESUM_H
