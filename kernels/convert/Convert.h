//===- Convert.h - Type and scale conversion kernels ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Quantize, DeQuantize and Cast (docs/operators/convert.md), and Concat with a
// requantization per branch (docs/operators/movement.md). Work is split by
// elements (Concat: by rows).
//
// Kernels: Convert.def.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_CONVERT_CONVERT_H
#define YARROW_KERNELS_CONVERT_CONVERT_H

#include "kernels/Params.h"
#include "kernels/Signature.h"

namespace yarrow::kernels {

/// What is rounded to integers: the sum, as Compass has it, or what has no zero
/// point yet, to even or with ties away from zero. Exact halves differ if the
/// zero point is odd.
enum class QuantizeRounding : uint32_t { Sum, First, FirstAway };

/// clip(RNE(scale * x - zp), lo, hi) in float32, or clip(round(scale * x) - zp,
/// lo, hi); NaN gives clip(0) or clip(-zp). Also what the host does to a float
/// input of an integer model.
struct QuantizeParams {
  uint32_t count = 0;
  DType inType = DType::F32; // F32 F16 BF16
  DType outType = DType::I8; // I8 U8 I16 U16 I32
  float scale = 1.0f;
  int32_t zp = 0, lo = -128, hi = 127;
  QuantizeRounding rounding = QuantizeRounding::Sum;
};
static_assert(sizeof(QuantizeParams) == 32);

/// (x + zp) * (1 / scale) in float32: a product with the reciprocal.
struct DequantizeParams {
  uint32_t count = 0;
  DType inType = DType::I8;   // I8 U8 I16 U16 I32
  DType outType = DType::F32; // F32 F16 BF16
  float scale = 1.0f;
  int32_t zp = 0;
};
static_assert(sizeof(DequantizeParams) == 20);

/// Integers to integers, except Float. A target of int32 in the packs truncates
/// (opzoo Cast c8), narrower ones round. Values of I64 that are scaled are
/// limited to 2^46 before; from and to such types scales have 16 bits, and
/// rounding is half to even. To Bool, every value but 0 (with its zero point)
/// becomes 1, in every mode.
enum class CastMode : uint32_t {
  Requantize, // clip(round((x + inZp) * scale / 2^shift) - zp, lo, hi)
  Saturate,   // clip(x + inZp - zp, lo, hi)
  Wrap,       // low bits of x + inZp - zp (clip_mode=TRUNCATION)
  Float, // float to float, or to integer (towards zero, then clip), and integer
         // to float
  RequantizeTowardsZero, // clip(trunc((x + inZp) * scale / 2^shift) - zp, lo,
                         // hi)
};

struct CastParams {
  uint32_t count = 0;
  DType inType = DType::I8, outType = DType::I8; // any
  CastMode mode = CastMode::Saturate;
  int32_t inZp = 0, zp = 0; // 0 if ignore_scale_zp
  int32_t scale = 1, shift = 0;
  int32_t lo = -128, hi = 127; // but for U32 and I64, which have their own
  Rounding rounding = Rounding::HalfEven; // Requantize
};
static_assert(sizeof(CastParams) == 44);

constexpr uint32_t kMaxConcatInputs = 16;

/// Output rows of `outInner` elements; branch i fills the next
/// branches[i].inner of each row. A concat of more inputs is several kernels:
/// rowOffset says where the first branch starts. Element copies of any type:
/// use scale 1, shift 0, zp = 0 with inType == outType (values are then not
/// changed; float types are copied as they are).
struct ConcatBranch {
  uint32_t inner = 0; // elements per row: axis size times all later dimensions
  DType inType = DType::I8;
  int32_t inZp = 0;
  int32_t scale = 1, shift = 0;
};
struct ConcatParams {
  uint32_t outer = 1, outInner = 0, rowOffset = 0;
  uint32_t inputCount = 0;
  DType outType = DType::I8;
  int32_t zp = 0, lo = -128, hi = 127;
  ConcatBranch branches[kMaxConcatInputs];
};
static_assert(sizeof(ConcatParams) == 352);
constexpr uint32_t variadicCount(const ConcatParams &p) { return p.inputCount; }

#define YARROW_KERNELS "kernels/convert/Convert.def"
#include "kernels/DeclareKernels.inc"

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_CONVERT_CONVERT_H
