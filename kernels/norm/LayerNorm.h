//===- LayerNorm.h - Normalization to a mean and a variance -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// LayerNorm, GroupNorm, InstanceNorm, MVN and RMSNorm: sums over a group, an
// inverse square root, then scale and offset of each value. They differ in
// their groups (NormShape.h), in where weights belong, and RMSNorm in that
// nothing is subtracted. Integer forms: docs/operators/norm.md; the inverse
// square root is a table (InverseSqrt.h).
//
// Each value is read three times, twice without a mean or where rows of bytes
// are done several at once (LayerNormRows.h). Work is split by groups, and
// within them where they are few.
//
// NormGains stops before the results, for an engine that makes them: of each
// group, of columns for each of them, what is added to a value, then of all the
// gain g. It takes the parameters of the whole layer, with `parts` 1, or the
// sums of as many parts of columns that NormSums has found, which every task
// would otherwise find for itself. GroupGains gives the same numbers, of sums
// that the tensor engine has found.
//
// Kernels: LayerNorm.def; weights, bias, and scale and shift if perChannel, are
// as long as the shape's affine places.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_NORM_LAYERNORM_H
#define YARROW_KERNELS_NORM_LAYERNORM_H

#include "kernels/Signature.h"
#include "kernels/norm/NormShape.h"

namespace yarrow::kernels {

/// How an integer x becomes the normalised n; q is its stored form, zp its zero
/// point, S a sum over the group, T the inverse square root of the table.
enum class NormForm : uint32_t {
  /// 8 bits: d = q - RNE(mean q), g = (T(S d^2 >> varShift) + 2^15) >> 16,
  /// n = clip(RNE(d * g * normScale / 2^(8 + normShift)))
  Narrow,
  /// 16 bits: g = RQ((T(floor(mean d^2)) + 2^15) >> 16, normScale, normShift)
  /// to 0 .. 65535, n = clip(RNE((d >> 1) * g / 2^7))
  Wide,
  /// d = q + zp, g as Wide, n = clip((d * g + 2^7) >> 8)
  RootMeanSquare
};

/// y = RQ(n * weights + bias); without weights and bias they are 1 and 0.
struct LayerNormIntParams {
  NormShape shape;
  NormForm form = NormForm::Narrow;
  DType inType = DType::I8; // I8 U8 I16 U16
  int32_t inZp = 0;         // RootMeanSquare only: a mean cancels it
  int32_t varShift = 0;     // Narrow only: 0 .. 62
  /// Added to S: n * epsilon in squares of the input's steps; below 2^60.
  uint32_t epsilonLow = 0, epsilonHigh = 0;
  int32_t normScale = 1, normShift = 0;
  int32_t normLo = -128, normHi = 127; // of n
  uint32_t hasWeights = 1, hasBias = 1;
  DType weightType = DType::I8; // I8 I16
  /// 1: for every place |n * weights + bias| * scale <= 2^29, shift >= 0. Then
  /// 32 bits do, with half the vector work of 64.
  uint32_t hasSmallSums = 0;
  Requant requant; // scale and shift per affine place if perChannel; act None
};
static_assert(sizeof(LayerNormIntParams) == 244);

/// The gains of groups whose sums the tensor engine has added up. A run is some
/// groups side by side, of which all runs have as many; each 16 of them are a
/// block of products with one another, of which those with themselves count.
struct GroupGainsParams {
  LayerNormIntParams layer;      // of its shape, groupColumns
  uint32_t runs = 1, groups = 1; // of a run
  uint32_t terms = 1;            // of a sum, at most kMostGroupTerms
};
static_assert(sizeof(GroupGainsParams) == 256);

/// Groups of a block: row i of it has the products of group i with all.
constexpr uint32_t kGroupBlock = 16;
/// As many squares of bytes as 31 bits hold.
constexpr uint32_t kMostGroupTerms = 33000;
/// Planes of products: of bytes one; of words, low byte l and high byte h,
/// those of h with h, of h with l and of l with l.
inline uint32_t groupPlanes(DType type) {
  return dtypeBytes(type) == 1 ? 1 : 3;
}
inline uint32_t groupBlocks(uint32_t groups) {
  return (groups + kGroupBlock - 1) / kGroupBlock;
}

/// y = (x - mean) / sqrt(mean (x - mean)^2 + epsilon) * weights + bias, with a
/// mean of 0 if it is not subtracted. Sums are double.
struct LayerNormFloatParams {
  NormShape shape;
  DType inType = DType::F32, outType = DType::F32;
  uint32_t subtractsMean = 1;
  uint32_t hasWeights = 1, hasBias = 1;
  DType weightType = DType::F32, biasType = DType::F32;
  float epsilon = 1e-5f;
};
static_assert(sizeof(LayerNormFloatParams) == 156);

/// Whether NormSums takes the columns: bytes by whole strips.
inline bool haveParts(const LayerNormIntParams &p) {
  constexpr uint32_t kLanes = 32; // kStrip
  const NormShape &s = p.shape;
  bool areDense = s.blockColumns == s.inner && kLanes % s.inner == 0 &&
                  s.reduced.strides[0] == s.inner;
  return s.groupColumns != 0 && dtypeBytes(p.inType) == 1 &&
         p.form == NormForm::Narrow && s.reduced.rank == 1 &&
         (areDense || (s.blockColumns % kLanes == 0 && s.inner % kLanes == 0));
}

#define YARROW_KERNELS "kernels/norm/LayerNorm.def"
#include "kernels/DeclareKernels.inc"

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_NORM_LAYERNORM_H
