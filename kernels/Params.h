//===- Params.h - Building blocks of the parameter structs ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A kernel's parameter struct is plain data: 32-bit integers, 32-bit floats and
// nested structs of them, so that a 64-bit host and a 32-bit TEC read the same
// bytes. This header holds what the families share. Conventions of the
// structs: sizes and strides count elements unless a name says Bytes; a
// quantized value q means (q + zp) / scale; tensors are dense and row-major
// (NHWC for images); a buffer that a setting leaves unused may be null.
//
// Example: an int8 layer with per-tensor scale 160/2^15 and RELU:
//   Requant r{.outType = DType::U8, .act = Act::Relu, .scale = 160, .shift =
//   15,
//             .lo = 0, .hi = 255};
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_PARAMS_H
#define YARROW_KERNELS_PARAMS_H

#include "kernels/Kernel.h"
#include "support/Numeric.h"

namespace yarrow::kernels {

constexpr uint32_t kMaxRank = 8;

/// The activations that Compass IR allows as `with_activation`.
enum class Act : uint32_t { None, Relu, Relu6, Clip, LeakyRelu, PRelu };

using yarrow::Rounding;

/// The greatest multiplier of the Compass tool chain, in 16 bits. Greater ones,
/// of up to 31, are wide: code that counts on 16 asks for it.
constexpr int32_t kMostNarrowScale = 65535;

/// From an integer accumulator (its zero points removed) to the stored integer:
/// activation, then clip(round(acc * scale / 2^shift) - zp, lo, hi), where
/// `rounding` is half to even in the Compass tool chain
/// (docs/operators/activation.md, Activation). RELU and RELU6 clamp at 0 only.
/// LEAKYRELU and PRELU add a rounding of their own, CLIP rounds twice: HalfEven
/// only.
///
/// Rounding TFLite's way, M = scale / 2^shift:
///   HalfUp  floor((acc * scale + 2^(shift-1)) / 2^shift), 0 <= shift
///   Double  requantizeTwice (support/Numeric.h), scale in [2^30, 2^31)
/// LEAKYRELU is then TFLite's: slope and slopeShift are the multiplier of
/// negative sums in place of scale and shift, and perChannel is 0.
///
/// Range: |acc| * scale <= 2^62, to which rounding adds at most 2^61: 16-bit
/// operands, 16-bit scale, up to 2^11 products of the largest magnitude (the
/// reference needs 2^53 to be exact itself); or |acc| <= 2^31 and a scale of 31
/// bits. Double takes any acc, saturating it to int32.
struct Requant {
  DType outType = DType::I8; // I8 U8 I16 U16 I32
  Act act = Act::None;
  Rounding rounding = Rounding::HalfEven;
  uint32_t perChannel = 0;      // 1: scale and shift come from two buffers
  DType scaleType = DType::U16; // element type of the scale buffer: U8 U16 I32
  int32_t scale = 1;            // 0 .. 2^31 - 1
  int32_t shift = 0; // -32 .. 62, all of it to the right; the shift buffer
                     // holds int8
  int32_t zp = 0;    // output zero point, subtracted after rounding
  int32_t lo = -128,
          hi = 127;       // range of the output (layer_top_range or the type's)
  int32_t slope = 0;      // LEAKYRELU: negative_slope_value
  int32_t slopeShift = 0; // negative_slope_shift; absent in the IR: output bits
  DType slopeType = DType::I16; // PRELU: element type of the slope buffer
  uint32_t slopeCount =
      1; // PRELU: slope of output element i is slope[i % count]
  int32_t clipMin = 0,
          clipMax = 0; // CLIP, in units of 2^-8 output steps if <= 8 bits
};
static_assert(sizeof(Requant) == 64);

/// Fused activation of a float layer.
struct FloatAct {
  Act act = Act::None;
  float slope = 0;                // LEAKYRELU
  float clipMin = 0, clipMax = 0; // CLIP; RELU6 clamps to 0..6
  uint32_t slopeCount =
      1; // PRELU, as in Requant; the slope buffer has slopeType
  DType slopeType = DType::F32;
};
static_assert(sizeof(FloatAct) == 24);

/// Output shape of a broadcast operation with the element strides of its two
/// operands; stride 0 repeats a dimension. A dimension that tiles (2 onto 6) is
/// written as two: 3 with stride 0, 2 with its stride.
struct BroadcastShape {
  uint32_t rank = 0; // at least 1 in a call
  uint32_t dims[kMaxRank] = {};
  int32_t strideA[kMaxRank] = {};
  int32_t strideB[kMaxRank] = {};
};
static_assert(sizeof(BroadcastShape) == 100);

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_PARAMS_H
