//===- NormShape.h - Groups of values that are normalised -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The places of a group's elements, which share a mean, a variance or a norm,
// and the weight of each. dialects/compass/norm/NormGroups.h computes them from
// axes, kernels/norm/NormLoops.h goes through them.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_NORM_NORMSHAPE_H
#define YARROW_KERNELS_NORM_NORMSHAPE_H

#include "kernels/Params.h"

namespace yarrow::kernels {

/// Of kMaxRank axes at most half are of one kind: neighbours of a kind are one.
constexpr uint32_t kNormAxes = kMaxRank / 2;

/// Axes of one kind, outermost first, without the innermost axis of the tensor.
struct NormAxes {
  uint32_t rank = 0;
  uint32_t dims[kNormAxes] = {};
  uint32_t strides[kNormAxes] = {};       // in elements
  uint32_t affineStrides[kNormAxes] = {}; // in weights
};
static_assert(sizeof(NormAxes) == 52);

/// A normalization goes over runs of the innermost axis. They are
///   rows     of one group, if that axis is normalised (LayerNorm over the last
///            axes: one row a group), or
///   columns  of several groups side by side (InstanceNorm: a column is a
///            channel). groupColumns neighbours belong to one group
///            (GroupNorm: C / group).
struct NormShape {
  NormAxes kept, reduced;
  uint32_t inner = 1;             // length of the innermost axis
  uint32_t innerAffineStride = 0; // 0 or 1
  uint32_t groupColumns = 0;      // 0: rows
  /// Columns: how many a task takes at once, a multiple of groupColumns and at
  /// most kNormColumns.
  uint32_t blockColumns = 0;
  /// Into how many pieces of work the results of a row group or of a block of
  /// columns are cut, where groups are fewer than tasks may be. Each task finds
  /// the statistics of the whole group for itself.
  uint32_t parts = 1;
};
static_assert(sizeof(NormShape) == 124);

/// Columns of a block at most: their statistics lie on the stack.
constexpr uint32_t kNormColumns = 64;

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_NORM_NORMSHAPE_H
