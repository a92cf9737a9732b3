//===- Eltwise.h - Two-operand elementwise kernels ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Functions of two values with N-dimensional broadcasting; BinaryFn.def has
// them. Integer form (docs/operators/eltwise.md, Eltwise):
//   acc = op((a + zpA) * scaleA, (b + zpB) * scaleB), then Requant;
// forms that are neither Aligned nor Compared take scaleA = scaleB = 1.
// Division (Div there) has a table of 65535 / k. Work is split by output
// elements (kernels/registry/Work.def); on 32 bits if isStored.
//
// Kernels:
//   yk_eltwise_int, yk_eltwise_float
//   yk_div_int: table u16[2^log2TableSize], or u32
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_ARITHMETIC_ELTWISE_H
#define YARROW_KERNELS_ARITHMETIC_ELTWISE_H

#include "kernels/Params.h"
#include "kernels/Signature.h"

namespace yarrow::kernels {

/// Functions of two values; BinaryFn.def has their formulas.
enum class BinaryOp : uint32_t {
#define BINARY(NAME, FORM, FLOAT, INTEGER) NAME,
#define BINARY_FLOAT(NAME, FLOAT) NAME,
#define BINARY_INTEGER(NAME, FORM, INTEGER) NAME,
#include "kernels/arithmetic/BinaryFn.def"
};

/// How integer operands of yk_eltwise_int come together.
enum class BinaryForm {
  Aligned,  ///< Scaled by it to one scale.
  Product,  ///< Scale 1: the scale of a product holds both.
  Rescaled, ///< Requantized before it to the result's scale, within their type.
  Widened,  ///< Requantized before it to a common scale, within int32.
  Compared, ///< As Aligned; the result is a truth value and has no scale.
  Stored,   ///< The stored integers: neither zero point nor scale.
  None,     ///< Not at all.
};

struct BinaryRecord {
  BinaryOp op;
  BinaryForm form;
  const char *name;
};
inline constexpr BinaryRecord kBinaryRecords[] = {
#define BINARY(NAME, FORM, FLOAT, INTEGER)                                     \
  {BinaryOp::NAME, BinaryForm::FORM, #NAME},
#define BINARY_FLOAT(NAME, FLOAT) {BinaryOp::NAME, BinaryForm::None, #NAME},
#define BINARY_INTEGER(NAME, FORM, INTEGER)                                    \
  {BinaryOp::NAME, BinaryForm::FORM, #NAME},
#include "kernels/arithmetic/BinaryFn.def"
};
constexpr BinaryForm formOf(BinaryOp op) {
  return kBinaryRecords[uint32_t(op)].form;
}
/// Whether floats have the function.
constexpr bool hasFloatForm(BinaryOp op) {
  switch (op) {
#define BINARY(NAME, FORM, FLOAT, INTEGER)
#define BINARY_INTEGER(NAME, FORM, INTEGER) case BinaryOp::NAME:
#include "kernels/arithmetic/BinaryFn.def"
    return false;
  default:
    return true;
  }
}
/// Whether the values are 0 and 1.
constexpr bool isTruth(BinaryOp op) {
  return formOf(op) == BinaryForm::Compared || op == BinaryOp::And ||
         op == BinaryOp::Or || op == BinaryOp::Xor;
}

struct EltwiseIntParams {
  BroadcastShape shape;
  BinaryOp op = BinaryOp::Add;
  /// 1: `op` of the integers as they are stored, whose low bits are stored:
  /// Stored functions, and others on integers whose results fit the output.
  /// Zero points are 0 and scales 1; of requant the type of the output is read.
  uint32_t isStored = 0;
  /// Any; I64 only if isStored, or Compared with scale 1. Values of I32 that
  /// are not Compared are limited to -2^31 .. 2^31 when scaled, as the
  /// reference limits them, those of U32 to 0 .. 2^32.
  DType typeA = DType::I8, typeB = DType::I8;
  int32_t zpA = 0, zpB = 0;
  /// scale_value[1], scale_value[2]: 0 .. 65535; of Add and Sub of integers of
  /// up to 16 bits 0 .. 2^31 - 1, if |sum| * requant.scale <= 2^62.
  int32_t scaleA = 1, scaleB = 1;
  /// 1: of Add and Sub, operands are requantized one by one before they meet,
  /// round((x + zp) * 2^leftShift * scale / 2^shift) by requant.rounding, as
  /// TFLite does. Shifts are 0 .. 62, the products within 2^62.
  uint32_t isApart = 0;
  int32_t leftShift = 0; // 0 .. 20
  int32_t shiftA = 0, shiftB = 0;
  /// Scale = scale_value[0]; per tensor. A U32 output takes no activation and
  /// is limited to its type.
  Requant requant;
};
static_assert(sizeof(EltwiseIntParams) == 212);

struct EltwiseFloatParams {
  BroadcastShape shape;
  BinaryOp op = BinaryOp::Add;
  DType typeA = DType::F32, typeB = DType::F32;
  DType outType = DType::F32; // an integer type for truth values, without `act`
  FloatAct act;
};
static_assert(sizeof(EltwiseFloatParams) == 140);

struct DivIntParams {
  BroadcastShape shape;
  DType typeA = DType::I8, typeB = DType::I8;
  int32_t zpA = 0, zpB = 0;
  uint32_t log2TableSize = 8;
  uint32_t inBits = 8;          // bits of typeB
  DType tableType = DType::U16; // U16, or U32 with entries of up to 28 bits
  Requant requant;              // act None, per tensor
};
static_assert(sizeof(DivIntParams) == 192);

#define YARROW_KERNELS "kernels/arithmetic/Eltwise.def"
#include "kernels/DeclareKernels.inc"

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_ARITHMETIC_ELTWISE_H
