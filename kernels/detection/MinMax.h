//===- MinMax.h - The lesser and the greater of two values ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Selections, which vectorize; of a NaN and a number the second one is taken.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_DETECTION_MINMAX_H
#define YARROW_KERNELS_DETECTION_MINMAX_H

namespace yarrow::kernels {

template <typename T> constexpr T lesser(T a, T b) { return a < b ? a : b; }
template <typename T> constexpr T greater(T a, T b) { return a > b ? a : b; }

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_DETECTION_MINMAX_H
