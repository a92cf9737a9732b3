//===- RunningProduct.h - Products of integers within 16 bits ---*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A product of many integers keeps 16 bits and counts how often it was halved:
//
//   int64_t product = 300;
//   int32_t halvings = 0;
//   multiplyWithin16(product, halvings, 300, /*isSigned=*/true);
//   // 22500 = 90000 >> 2, halvings 2
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_REDUCE_RUNNINGPRODUCT_H
#define YARROW_KERNELS_REDUCE_RUNNINGPRODUCT_H

#include <stdint.h>

namespace yarrow::kernels {

/// product *= factor; product >>= 1 until it fits int16, or uint16 if nothing
/// is negative. The product has up to 34 bits (16 of the one, 18 of the other),
/// so there are at most 19 halvings. Branch-free, for loops over lanes.
inline void multiplyWithin16(int64_t &product, int32_t &halvings,
                             int64_t factor, bool isSigned) {
  int32_t bits = isSigned ? 15 : 16;
  product *= factor;
  // Rounding down, a negative x takes as many halvings as ~x.
  int64_t magnitude = product < 0 ? ~product : product;
  int32_t excess = 0;
  for (int32_t step = 16; step > 0; step >>= 1) {
    int32_t taken = (magnitude >> (bits + step - 1)) != 0 ? step : 0;
    magnitude >>= taken;
    excess += taken;
  }
  product >>= excess;
  halvings += excess;
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_REDUCE_RUNNINGPRODUCT_H
