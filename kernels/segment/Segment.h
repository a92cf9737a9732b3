//===- Segment.h - Rows that belong to numbers ------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// SegmentReduce (docs/operators/statistics.md) and EmbeddingLookupSparse
// (docs/operators/sequence.md): rows are combined into the output row whose
// number they have.
//
// Kernels: Segment.def.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_SEGMENT_SEGMENT_H
#define YARROW_KERNELS_SEGMENT_SEGMENT_H

#include "kernels/Params.h"
#include "kernels/Signature.h"

namespace yarrow::kernels {

enum class SegmentOp : uint32_t { Sum, Mean, Min, Max, Prod };

/// y[s, :] = the rows r with segments[r] == s, ascending, of [rows, inner],
/// combined. Work is split by outputs: the rows of a segment are found by
/// halving, their elements are vectors along inner (kernels/registry/Work.def).
struct SegmentShape {
  uint32_t rows = 1, inner = 1, segments = 1;
  SegmentOp op = SegmentOp::Sum;
  DType segmentType = DType::I32;
};
static_assert(sizeof(SegmentShape) == 20);

/// Sum: RQ(sum of x + zp); Mean: the same with 1 / n in the scale, as
/// multiplier of 14 bits, of 8 from 2^14 rows on. Sums have 17 bits and those
/// of the number of rows, at most 2^20. Min and Max: as stored, `fill` without
/// a row.
struct SegmentReduceIntParams {
  SegmentShape shape;
  DType inType = DType::I8; // I8 U8 I16 U16
  int32_t inZp = 0, fill = 0;
  Requant requant; // act None, per tensor; Min and Max read outType only
};
static_assert(sizeof(SegmentReduceIntParams) == 96);

/// Combined in double; 0 without a row.
struct SegmentReduceFloatParams {
  SegmentShape shape;
  DType inType = DType::F32, outType = DType::F32;
};
static_assert(sizeof(SegmentReduceFloatParams) == 28);

/// sums[ids[e], :] = sum of x[values[e], :] * weights[e] over the entries e, of
/// x as [table, inner]; totals[ids[e]] = sum of weights[e], or of their
/// squares. Entries without an output row are left out; values count from the
/// end if negative and are limited to the table. Work is split by output rows;
/// each task reads all ids.
struct EmbeddingShape {
  uint32_t table = 1, inner = 1, rows = 1, entries = 1;
  DType idType = DType::I32, valueType = DType::I32;
  DType tableType = DType::I8, weightType = DType::U8;
  uint32_t squares = 0;
};
static_assert(sizeof(EmbeddingShape) == 36);

/// Of x + tableZp and weights + weightZp: products of 34 bits.
struct EmbeddingSumsParams {
  EmbeddingShape shape;
  int32_t tableZp = 0, weightZp = 0;
};
static_assert(sizeof(EmbeddingSumsParams) == 44);

enum class EmbeddingOp : uint32_t { Sum, Mean, RootMean };

/// What comes of sums P and totals W:
///   Sum: RQ(P)
///   Mean: with P * scale and W shifted right by as many bits as the greatest
///     of all exceeds 32 and 16 (d0, d1): RQ(P / W, 1, shift - d0 + d1), the
///     quotient cut towards zero, 0 where W is 0
///   RootMean: t = RNE(P * sumScale / 2^sumShift) in tableBits, then in 16 bits
///     v = t * scale >> preShift; RQ(v * isqrt(W), 1, shift + 31 - preShift -
///     its shift), products limited to 32 bits
struct EmbeddingCombineParams {
  uint32_t rows = 1, inner = 1;
  EmbeddingOp op = EmbeddingOp::Sum;
  uint32_t isSigned = 1;       // x + zp may be negative
  uint32_t isWeightSigned = 0; // and so may weights
  uint32_t tableBits = 8;
  int32_t sumScale = 1, sumShift = 0, preShift = 0;
  Requant requant; // act None, per tensor
};
static_assert(sizeof(EmbeddingCombineParams) == 100);

/// Rows of x longer than maxNorm are shortened to it; 0: none is. Sums are
/// divided by totals (Mean) or the roots of those (RootMean); by 0, they are 0.
struct EmbeddingFloatParams {
  EmbeddingShape shape;
  EmbeddingOp op = EmbeddingOp::Sum;
  float maxNorm = 0;
  DType outType = DType::F32;
};
static_assert(sizeof(EmbeddingFloatParams) == 48);

#define YARROW_KERNELS "kernels/segment/Segment.def"
#include "kernels/DeclareKernels.inc"

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_SEGMENT_SEGMENT_H
