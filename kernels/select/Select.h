//===- Select.h - Kernels that choose among values --------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Where, ArgMinMax, TopK, InTopK, AccidentalHits and the second half of
// CTCGreedyDecoder, after the best classes are found (docs/operators/select.md;
// ArgMinMax: docs/operators/statistics.md). Integers are compared as they are
// stored: a tensor has one scale.
//
// Kernels: Select.def.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_SELECT_SELECT_H
#define YARROW_KERNELS_SELECT_SELECT_H

#include "kernels/OrderKeys.h"

#include "kernels/Params.h"

namespace yarrow::kernels {

/// Output dims, outermost first, neighbours merged, with the element strides of
/// condition, x1 and x2.
struct WhereShape {
  uint32_t rank = 0; // 0 is a scalar
  uint32_t dims[kMaxRank] = {};
  int32_t strides[3][kMaxRank] = {};
};
static_assert(sizeof(WhereShape) == 132);

/// y = condition != 0 ? x1 : x2, bits that are moved. Work is split by output
/// elements; an element takes 3 loads, a comparison, a selection and a store,
/// each a vector operation on a chunk.
struct WhereParams {
  WhereShape shape;
  DType conditionType = DType::U8; // any
  uint32_t elemBytes = 1;          // 1 2 4 8
};
static_assert(sizeof(WhereParams) == 140);

/// One choice of yk_where_int.
struct WhereChoice {
  DType type = DType::I8; // I8 U8 I16 U16 I32
  int32_t zp = 0, scale = 1, shift = 0;
};

/// y = condition + conditionZp != 0 ? RQ(x1 + zp1, scale1, shift1)
///                                  : RQ(x2 + zp2, scale2, shift2)
/// Products have at most 33 + 16 bits.
struct WhereIntParams {
  WhereShape shape;
  DType conditionType = DType::U8; // I8 U8 I16 U16 I32 U32 BOOL
  int32_t conditionZp = 0;
  WhereChoice choices[2];
  Requant requant; // act None; scale and shift are those of the choice
};
static_assert(sizeof(WhereIntParams) == 236);

/// Tensor seen as [outer, axis, inner]: y[outer, 1, inner] = the index along
/// the axis of the greatest (or least) value, of equal ones the first (or the
/// last), at most `most`. Work is split by outputs. An element costs a load, a
/// comparison and two selections, as vectors along inner, or along the axis
/// where inner is 1.
struct ArgMinMaxParams {
  uint32_t outer = 1, axis = 1, inner = 1;
  DType inType = DType::I8, outType = DType::U16;
  uint32_t least = 0; // 1: the least value
  uint32_t last = 0;  // 1: the last of equal ones
  int32_t most = 65535;
};
static_assert(sizeof(ArgMinMaxParams) == 32);

/// Tensor seen as [outer, axis, inner]; values and indices are [outer, k,
/// inner]: the k greatest (or least), best first; of equal ones the lower
/// index first, or the higher (`last`). The outputs hold a heap while the axis
/// is read: a chunk of the axis costs as many vector operations as an
/// ArgMinMax, and 2 log2(k) steps for each value that enters the heap. Of rows
/// of small integers with k <= 32 registers hold the best, in order, and few
/// but the k enter: those below the k-th of 32 maxima do not. Work is split by
/// (outer, inner).
struct TopKParams {
  uint32_t outer = 1, axis = 1, inner = 1;
  uint32_t k = 1;         // 1 .. axis
  DType type = DType::I8; // of input and values
  DType indexType = DType::U16;
  uint32_t least = 0, last = 0;
};
static_assert(sizeof(TopKParams) == 32);

/// Of each of `rows` rows of `classes` predictions: 1 if fewer than k of them
/// are greater than that of the row's target, else 0, as is a target that is no
/// class. Work is split by rows; vectors run along the classes.
struct InTopKParams {
  uint32_t rows = 1, classes = 1, k = 1;
  DType type = DType::I8;
  DType targetType = DType::I32;
  DType outType = DType::U8;
};
static_assert(sizeof(InTopKParams) == 24);

/// The best classes [rows, steps] as a CTC network means them: of the steps
/// below a row's length (all, unless the length is one of 1 to steps) those
/// that are not the blank, and where `merges` not the class of the step before;
/// `fill` after the last, which is the greatest integer of the output. Those
/// beyond the capacity are lost. Work is split by rows: some scalar operations
/// a step.
struct CtcMergeParams {
  uint32_t rows = 1, steps = 1, capacity = 1;
  uint32_t merges = 1;
  int32_t blank = 0;
  DType lengthType = DType::I32; // any
  DType outType = DType::U16;
  int32_t fill = 65535;
};
static_assert(sizeof(CtcMergeParams) == 32);

/// Of each true class [rows, trues], in row-major order, the candidates that it
/// equals, in theirs: row and candidate; zeros after the last; how many there
/// are. Those beyond the capacity are lost. Work is split by true classes; a
/// task counts the hits before its own. A load and a comparison for each pair
/// of a true class and a candidate.
struct AccidentalHitsParams {
  uint32_t rows = 1, trues = 1, candidates = 1, capacity = 1;
  DType classType = DType::I32, candidateType = DType::I32;
  DType rowType = DType::I32, idType = DType::I32, countType = DType::I32;
  int32_t mostRow = INT32_MAX, mostId = INT32_MAX, mostCount = INT32_MAX;
};
static_assert(sizeof(AccidentalHitsParams) == 48);

#define YARROW_KERNELS "kernels/select/Select.def"
#include "kernels/DeclareKernels.inc"

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_SELECT_SELECT_H
