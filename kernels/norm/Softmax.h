//===- Softmax.h - Softmax kernels ----------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Softmax over the middle dimension of [outer, axis, inner]. Integer forms:
// docs/operators/norm.md, Softmax; d = x - max(x), so the input's zero point
// cancels. Work is split by outer x inner rows.
//
// Kernels: Softmax.def.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_NORM_SOFTMAX_H
#define YARROW_KERNELS_NORM_SOFTMAX_H

#include "kernels/Params.h"
#include "kernels/Signature.h"
#include "kernels/norm/SoftmaxShape.h"

namespace yarrow::kernels {

/// quantize_method = LUT: E = T[d + 2^inBits - 1], S = sum of E.
///   numeratorFirst: z = ((E << extraBits) + (S >> 1)) / max(S, 1),
///                   out = RQ(z, scale, shift + extraBits)
///   else:           rev = (scale << extraBits) / max(S, 1),
///                   out = RQ(E * rev, 1, shift + extraBits)
/// The lowering computes: numeratorFirst = axis < 8 && (elements / axis) % 128
/// == 0 && inBits <= 8; extraBits = base - ceil(log2(numeratorFirst ? max T :
/// scale)), base = 30 if max T == 1, else 31.
struct SoftmaxLutParams {
  SoftmaxShape shape;
  DType inType = DType::I8;     // I8 U8 I16 U16
  DType tableType = DType::U32; // U8 U16 U32 I32
  DType outType = DType::U8;
  uint32_t inBits = 8, log2Size = 8;
  uint32_t numeratorFirst = 0;
  int32_t scale = 1, shift = 0, extraBits = 0;
  int32_t zp = 0, lo = 0, hi = 255;
};
static_assert(sizeof(SoftmaxLutParams) == 60);

/// What the exponentials of a row are multiplied with, of their sum S that the
/// tensor engine has found: rev of SoftmaxLutParams.
struct SoftmaxReverseParams {
  uint32_t count = 1;
  int32_t scale = 1, extraBits = 0; // scale << extraBits is at most 2^31
};
static_assert(sizeof(SoftmaxReverseParams) == 12);

/// Of sums of powers of two, 65536 * high + low: their logarithms less
/// pow2OutQ, rounded up; with adjustQ above 2^k * sqrt(2) alone.
struct SoftmaxLogParams {
  uint32_t count = 1;
  int32_t pow2OutQ = 27, adjustQ = 1;
};
static_assert(sizeof(SoftmaxLogParams) == 12);

/// quantize_method = FAST_EXP: e = d * inputScale >> inputShift is log2 of the
/// numerator; all numerators and the sum are powers of two. adjustQ is 0 or 1
/// (8..15, which use tables, have no kernel).
struct SoftmaxExpParams {
  SoftmaxShape shape;
  DType inType = DType::I8;
  DType outType = DType::U8;
  int32_t inputScale = 1,
          inputShift = 0; // input_scale_value, input_shift_value
  int32_t pow2OutQ = 27;  // pow2_out_q
  int32_t adjustQ = 1;    // 0 1
  int32_t lo = 0, hi = 255;
};
static_assert(sizeof(SoftmaxExpParams) == 44);

/// FAST_EXP with tables: as above, but exponents have fractionBits bits behind
/// the point, of which the first eight choose entries of the tables.
struct SoftmaxPow2Params {
  SoftmaxShape shape;
  DType inType = DType::I8;
  DType outType = DType::U8; // I8 U8 I16 U16
  int32_t inputScale = 1,
          inputShift = 0;   // input_scale_value, input_shift_value
  int32_t pow2OutQ = 27;    // pow2_out_q, at most 31
  int32_t fractionBits = 8; // adjust_q, 8 to 15
  int32_t lo = 0, hi = 255;
};
static_assert(sizeof(SoftmaxPow2Params) == 44);

/// LogSoftmax: d = x - max(x), e = T[d + 2^inBits - 1] with float32 entries and
/// float32 interpolation,
///   y = clip(RNE(d * inputScale - ln(sum of e) * outputScale) - zp)
/// in float32 but for the sum and its logarithm, which are double: the
/// reference's order of float32 sums is its library's.
struct LogSoftmaxIntParams {
  SoftmaxShape shape;
  DType inType = DType::I8; // I8 U8 I16 U16
  uint32_t inBits = 8, log2Size = 8;
  float inputScale = 1, outputScale = 1; // quantize_scale
  DType outType = DType::I8;
  int32_t zp = 0, lo = -128, hi = 127;
};
static_assert(sizeof(LogSoftmaxIntParams) == 48);

struct SoftmaxFloatParams {
  SoftmaxShape shape;
  DType inType = DType::F32, outType = DType::F32;
  uint32_t isLog = 0; // 1: LogSoftmax
};
static_assert(sizeof(SoftmaxFloatParams) == 24);

#define YARROW_KERNELS "kernels/norm/Softmax.def"
#include "kernels/DeclareKernels.inc"

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_NORM_SOFTMAX_H
