//===- ReducePlan.h - The loops of a reduction ------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Reductions differ in what they do with an element. This header has the places
// of an output's elements, and the integer folds.
//
//   Plan plan(p.shape);
//   plan.forEachOutput(shareOf(plan.outputs(), task, taskCount),
//                      [&](uint32_t out, uint32_t n) { ... });
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_REDUCE_REDUCEPLAN_H
#define YARROW_KERNELS_REDUCE_REDUCEPLAN_H

#include "kernels/Elements.h"
#include "kernels/reduce/ReduceParams.h"

namespace yarrow::kernels {

/// The dimensions of one kind, kept or reduced, outermost first.
struct Axes {
  uint32_t rank = 0;
  uint32_t dims[kMaxRank];
  int64_t strides[kMaxRank];

  uint32_t count() const {
    uint32_t n = 1;
    for (uint32_t d = 0; d < rank; ++d)
      n *= dims[d];
    return n;
  }
  int64_t offset(uint32_t index) const {
    int64_t at = 0;
    for (uint32_t d = rank; d-- > 0;) {
      uint32_t i = d ? index % dims[d] : index;
      at += int64_t(i) * strides[d];
      index = d ? index / dims[d] : 0;
    }
    return at;
  }
  /// The size of the innermost dimension and the stride; 1 of none.
  uint32_t innermost() const { return rank ? dims[rank - 1] : 1; }
  int64_t innermostStride() const { return rank ? strides[rank - 1] : 1; }
  /// Appends an outer dimension, or widens the outermost if both are one.
  void prepend(uint32_t size, int64_t stride) {
    if (rank && strides[0] * dims[0] == stride) {
      dims[0] *= size;
      return;
    }
    for (uint32_t d = rank; d-- > 0;) {
      dims[d + 1] = dims[d];
      strides[d + 1] = strides[d];
    }
    dims[0] = size;
    strides[0] = stride;
    ++rank;
  }
};

/// A reduction as runs of the innermost dimension. If that is kept, `inner`
/// outputs are computed together; if it is reduced, its elements go to kChunk
/// partial results.
struct Plan {
  Axes kept, reduced; // without the innermost dimension
  uint32_t inner = 1; // size of the innermost dimension
  bool innerReduced = false;

  explicit Plan(const ReduceShape &s) {
    Axes all[2];
    int64_t stride = 1;
    // Specialized, all of a plan is constant.
#pragma clang loop unroll(full)
    for (uint32_t d = s.rank; d-- > 0; stride *= s.dims[d])
      if (s.dims[d] != 1)
        all[s.reducedMask >> d & 1].prepend(s.dims[d], stride);
    for (uint32_t kind = 0; kind < 2; ++kind) {
      Axes &axes = all[kind];
      if (axes.rank && axes.strides[axes.rank - 1] == 1) {
        innerReduced = kind;
        inner = axes.dims[--axes.rank];
      }
    }
    kept = all[0];
    reduced = all[1];
  }
  uint32_t outputs() const { return kept.count() * (innerReduced ? 1 : inner); }
  double terms() const {
    return double(reduced.count()) * double(innerReduced ? inner : 1);
  }

  /// Calls fn(lane 0's element, n) for everything that outputs [out, out + n)
  /// need.
  template <typename Fn>
  void forEachInput(uint32_t out, uint32_t n, Fn fn) const {
    int64_t base = innerReduced ? kept.offset(out)
                                : kept.offset(out / inner) + out % inner;
    uint32_t count = reduced.count();
    for (uint32_t r = 0; r < count; ++r) {
      int64_t at = base + reduced.offset(r);
      if (!innerReduced)
        fn(at, n);
      else
        forEachChunk(0, inner, [&](uint32_t i, uint32_t m) { fn(at + i, m); });
    }
  }

  /// Calls fn(firstOutput, n) so that the outputs of a call share their kept
  /// offset.
  template <typename Fn> void forEachOutput(Share share, Fn fn) const {
    for (uint32_t out = share.begin, n; out < share.end; out += n) {
      n = innerReduced ? 1 : inner - out % inner;
      n = n < share.end - out ? n : share.end - out;
      n = n < kChunk ? n : kChunk;
      fn(out, n);
    }
  }

  /// Lanes in use while n outputs are computed.
  uint32_t lanes(uint32_t n) const {
    return !innerReduced ? n : inner < kChunk ? inner : kChunk;
  }
};

enum class Fold { Sum, Min, Max, All, Any };

inline Fold foldOf(ReduceOp op) {
  switch (op) {
  case ReduceOp::Min:
    return Fold::Min;
  case ReduceOp::Max:
    return Fold::Max;
  case ReduceOp::All:
    return Fold::All;
  case ReduceOp::Any:
    return Fold::Any;
  default:
    return Fold::Sum;
  }
}

inline void fold(Fold how, int64_t *acc, const int64_t *x, uint32_t n) {
  switch (how) {
  case Fold::Sum:
    for (uint32_t i = 0; i < n; ++i)
      acc[i] += x[i];
    break;
  case Fold::Min:
    for (uint32_t i = 0; i < n; ++i)
      acc[i] = x[i] < acc[i] ? x[i] : acc[i];
    break;
  case Fold::Max:
    for (uint32_t i = 0; i < n; ++i)
      acc[i] = x[i] > acc[i] ? x[i] : acc[i];
    break;
  case Fold::All:
    for (uint32_t i = 0; i < n; ++i)
      acc[i] = acc[i] != 0 && x[i] != 0;
    break;
  case Fold::Any:
    for (uint32_t i = 0; i < n; ++i)
      acc[i] = acc[i] != 0 || x[i] != 0;
    break;
  }
}

inline int64_t neutralOf(Fold how) {
  return how == Fold::Min   ? INT64_MAX
         : how == Fold::Max ? INT64_MIN
                            : how == Fold::All;
}

/// acc[0 .. n) = fold over the inputs of outputs [out, out + n) of map(x,
/// lane).
template <typename Map>
inline void foldOutputs(const Plan &plan, DType inType, const void *input,
                        Fold how, uint32_t out, uint32_t n, int64_t *acc,
                        Map map) {
  int32_t x[kChunk];
  int64_t wide[kChunk];
  uint32_t lanes = plan.lanes(n);
  for (uint32_t i = 0; i < lanes; ++i)
    acc[i] = neutralOf(how);
  plan.forEachInput(out, n, [&](int64_t element, uint32_t count) {
    loadI32(inType, input, element, count, x);
    for (uint32_t i = 0; i < count; ++i)
      wide[i] = map(x[i], i);
    fold(how, acc, wide, count);
  });
  for (uint32_t i = 1; plan.innerReduced && i < lanes; ++i)
    fold(how, acc, acc + i, 1);
}

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_REDUCE_REDUCEPLAN_H
