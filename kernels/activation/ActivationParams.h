//===- ActivationParams.h - Parameters of one-operand kernels ---*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Apart from the kernels (Activation.h), for the loops that they are made of.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_ACTIVATION_ACTIVATIONPARAMS_H
#define YARROW_KERNELS_ACTIVATION_ACTIVATIONPARAMS_H

#include "kernels/Params.h"

namespace yarrow::kernels {

/// What yk_activation_int does with x = q + inZp before Requant.
enum class UnaryIntOp : uint32_t { Identity, Abs, Negative, Sign };

/// RELU RELU6 CLIP LEAKYRELU and PRELU with a trailing-shape slope are Identity
/// with requant.act. Negative and Sign take scale 1, shift 0 (Sign: zp 0).
/// CRELU is Identity and Negative with Act::Relu, concatenated.
struct ActivationIntParams {
  uint32_t count = 0;
  DType inType = DType::I8; // I8 U8 I16 U16 I32
  int32_t inZp = 0;
  UnaryIntOp op = UnaryIntOp::Identity;
  Requant requant; // per tensor
};
static_assert(sizeof(ActivationIntParams) == 80);

/// PRELU whose slope broadcasts in any way: operand B of `shape` is the slope.
struct PReluIntParams {
  BroadcastShape shape;
  DType inType = DType::I8;
  int32_t inZp = 0;
  Requant
      requant; // slopeType and slopeShift are read, act and slopeCount are not
};
static_assert(sizeof(PReluIntParams) == 172);

struct PReluFloatParams {
  BroadcastShape shape;
  DType inType = DType::F32, slopeType = DType::F32, outType = DType::F32;
};
static_assert(sizeof(PReluFloatParams) == 112);

/// i = x - indexMin; h = i >> (inBits - log2Size); f = the bits shifted out;
/// y = T[h] + (((T[h+1] - T[h]) * f) >> (inBits - log2Size)) with T[N] =
/// T[N-1]. indexMin is the smallest value of the input's range, one less if a
/// signed input has a symmetric range such as [-127, 127].
struct LutParams {
  uint32_t count = 0;
  DType inType = DType::I8;    // I8 U8 I16 U16
  DType tableType = DType::I8; // I8 U8 I16 U16, also the output's type
  int32_t indexMin = -128;
  uint32_t inBits = 8;
  uint32_t log2Size = 8; // <= inBits
};
static_assert(sizeof(LutParams) == 24);

/// Sine and Cosine of 16-bit inputs: the table holds one period, index =
/// RNE((x + inZp) * scale / 2^shift) & (2^log2Size - 1). Byte-exact on the
/// packs, which show that the shift rounds (docs/operators/activation.md,
/// Sine).
struct PeriodicLutParams {
  uint32_t count = 0;
  DType inType = DType::I16;
  DType tableType = DType::I16;
  int32_t inZp = 0;
  int32_t scale = 1, shift = 0;
  uint32_t log2Size = 10;
};
static_assert(sizeof(PeriodicLutParams) == 28);

/// Float functions; UnaryFn.def has their formulas. Parameters they read:
///   Clip alpha = min, beta = max; LeakyRelu alpha = slope; Elu and Celu alpha;
///   Selu alpha, gamma; HardSigmoid clip(alpha * x + beta, clipMin, clipMax);
///   Swish alpha; Shrink alpha = bias, beta = lambd; ThresholdedRelu alpha;
///   Pow alpha = exponent. GeluErf is approximate = NONE, GeluTanh is TANH;
///   Round goes to even.
enum class UnaryFn : uint32_t {
#define UNARY(NAME, VALUE) NAME,
#include "kernels/activation/UnaryFn.def"
};

/// Parameters of a UnaryFn; those that a function does not name are ignored.
struct UnaryArgs {
  float alpha = 0, beta = 0, gamma = 0;
  float clipMin = 0, clipMax = 1;
};
static_assert(sizeof(UnaryArgs) == 20);

struct UnaryFloatParams {
  uint32_t count = 0;
  DType inType = DType::F32, outType = DType::F32; // F32 F16 BF16
  UnaryFn fn = UnaryFn::Identity;
  UnaryArgs args;
};
static_assert(sizeof(UnaryFloatParams) == 36);

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_ACTIVATION_ACTIVATIONPARAMS_H
