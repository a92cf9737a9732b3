//===- Layouts.h - The axes of samples in another order ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Copies in memory, for data sets whose files have another layout than the
// network.
//
//   NpyView first = permuted(images, {0, 3, 1, 2}); // NHWC to NCHW
//   NpyView bgr = reversedLast(images);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_DATA_LAYOUTS_H
#define YARROW_COMPILER_DATA_LAYOUTS_H

#include "support/Npy.h"

namespace yarrow {

/// Axis i of the result is axis axes[i] of \p array.
NpyView permuted(const NpyView &array, const std::vector<std::size_t> &axes);
/// The last axis from its end: RGB becomes BGR.
NpyView reversedLast(const NpyView &array);
/// Arrays of one type that differ in the first axis alone, one after the other.
NpyView joined(const std::vector<NpyView> &arrays);

} // namespace yarrow

#endif // YARROW_COMPILER_DATA_LAYOUTS_H
