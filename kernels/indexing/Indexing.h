//===- Indexing.h - Kernels that read at indices or make them ---*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// GatherElements, GatherND, OneHot, Compress, NonZero and Unique
// (docs/operators/indexing.md); Gather is in kernels/movement. Values that
// are moved have any type. If the number of results depends on data, the
// outputs have a capacity: results beyond it are lost, and unused entries are
// filled.
//
// Kernels: Indexing.def.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_INDEXING_INDEXING_H
#define YARROW_KERNELS_INDEXING_INDEXING_H

#include "kernels/OrderKeys.h"
#include "kernels/Params.h"
#include "kernels/Signature.h"

namespace yarrow::kernels {

/// y[i..] = x[sum of i_d * strides_d + index[i..] * axisStride] for i_d <
/// dims_d, strides being those of x, 0 along the axis. A negative index counts
/// from the end; one beyond either end is the last one, as in the reference.
/// Work is split by elements, each of which is an indexed load
/// (kernels/registry/Work.def).
struct GatherElementsParams {
  uint32_t elemBytes = 1; // 1 2 4 8
  uint32_t rank = 0;
  uint32_t dims[kMaxRank] = {};
  int32_t strides[kMaxRank] = {};
  int32_t axisSize = 1, axisStride = 1;
  DType indexType = DType::I32;
};
static_assert(sizeof(GatherElementsParams) == 84);

/// y[b, q, inner] = x[b, index[b, q, 0], index[b, q, 1] ..., inner]: places of
/// `rank` indices into the lengths `dims`. Negative indices count from the end;
/// those beyond an end are the end's. Work is split by rows of inner elements,
/// which are copied in one piece.
struct GatherNDParams {
  uint32_t elemBytes = 1; // 1 2 4 8
  uint32_t batch = 1, places = 1, inner = 1;
  uint32_t rank = 0;
  uint32_t dims[kMaxRank] = {};
  DType indexType = DType::I32;
};
static_assert(sizeof(GatherNDParams) == 56);

/// Places of `rank` indices into axes of `lengths`, each of [-length, length)
/// or, unless fromEnd, [0, length). A layer whose indices are data calls it
/// before the kernel that reads or writes there, so that no such kernel meets
/// one that is out of bounds. fault is {index, length} of one that is, length 0
/// if there is none: what the evaluator looks at. A TEC stops at it instead,
/// with a break code that the device's fault tells (support/BreakCodes.h). Work
/// is split by places; vectors run along them, a load and four comparisons an
/// index.
struct CheckIndicesParams {
  uint32_t places = 1, rank = 1;
  int32_t lengths[kMaxRank] = {};
  uint32_t fromEnd = 1;
  DType indexType = DType::I32; // any
};
static_assert(sizeof(CheckIndicesParams) == 16 + 4 * kMaxRank);

/// y[o, d, i] = index[o, i] == d ? on : off. Work is split by (o, d), or by o
/// where inner is 1; vectors run along the innermost axis, a load, a comparison
/// and a store an element.
struct OneHotParams {
  uint32_t outer = 1, depth = 1, inner = 1;
  DType indexType = DType::I32;
  uint32_t elemBytes = 1;           // 1 2 4 8
  uint32_t on[2] = {}, off[2] = {}; // bits of an element, low word first
};
static_assert(sizeof(OneHotParams) == 36);

/// Of x as [outer, axis, inner] the slices whose condition is not 0, in their
/// order, as [outer, capacity, inner]; `fill` after the last. There are
/// `conditions` of them, at most `axis`; those that lack are 0. Work is split
/// by rows of inner elements, which are copied in one piece; each task reads
/// the conditions once.
struct CompressParams {
  uint32_t elemBytes = 1; // 1 2 4 8
  uint32_t outer = 1, axis = 1, inner = 1;
  uint32_t conditions = 1, capacity = 1;
  DType conditionType = DType::U8; // any
  uint32_t fill[2] = {};           // bits of an element, low word first
};
static_assert(sizeof(CompressParams) == 36);

/// places[d, k] = index along axis d of the k-th element that is not 0, in
/// row-major order, limited to mostIndex; zeros after the last. count = how
/// many there are, limited to the capacity and to mostCount. Work is split by
/// elements; a task counts those before its own, a load, a comparison and a sum
/// each.
struct NonZeroParams {
  uint32_t rank = 1;
  uint32_t dims[kMaxRank] = {};
  uint32_t capacity = 1;
  DType inType = DType::I8; // any
  DType indexType = DType::I32, countType = DType::I32;
  int32_t mostIndex = INT32_MAX, mostCount = INT32_MAX;
};
static_assert(sizeof(NonZeroParams) == 60);

/// x as [outer, axis, inner]: the distinct slices along the axis, in rising
/// order (of the first element that differs, row-major) or in that of their
/// first occurrence, as [outer, capacity, inner], `fill` after the last; of
/// each the index of its first occurrence and its number of occurrences, zeros
/// after the last; of each slice of x which one it is, which may lie beyond the
/// capacity. Numbers are limited to the types that hold them.
///
/// One task sorts: n log2(n) comparisons of slices. order holds 2 * axis int32.
struct UniqueParams {
  uint32_t outer = 1, axis = 1, inner = 1, capacity = 1;
  uint32_t sorted = 1;
  DType type = DType::I8; // of x and y
  DType indexType = DType::I32, inverseType = DType::I32,
        countType = DType::I32;
  int32_t mostIndex = INT32_MAX, mostInverse = INT32_MAX, mostCount = INT32_MAX;
  uint32_t fill = 0; // bits of an element of y
};
static_assert(sizeof(UniqueParams) == 52);

#define YARROW_KERNELS "kernels/indexing/Indexing.def"
#include "kernels/DeclareKernels.inc"

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_INDEXING_INDEXING_H
