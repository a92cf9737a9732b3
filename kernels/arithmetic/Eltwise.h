//===- Eltwise.h - Two-operand elementwise kernels ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Eltwise ADD SUB MUL MAX MIN and the Add, Sub, Mul layers, with N-dimensional
// broadcasting. Integer form: spec, integer semantics 4.4:
//   acc = op((a + zpA) * scaleA, (b + zpB) * scaleB), then Requant;
// a Product and what is Rescaled take scaleA = scaleB = 1. Division: 4.13, with
// a table of 65535 / k. Work is split by output elements.
//
// Kernels:
//   yk_eltwise_int, yk_eltwise_float
//   yk_div_int: table u16[2^log2TableSize]
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
#include "kernels/arithmetic/BinaryFn.def"
};

/// How integer operands of yk_eltwise_int come together: scaled by it to one
/// scale; as they are, since the scale of a product holds both; requantized
/// before it to the scale of the result, each within its own type; or not at
/// all.
enum class BinaryForm { Aligned, Product, Rescaled, None };

struct BinaryRecord {
  BinaryOp op;
  BinaryForm form;
  const char *name;
};
inline constexpr BinaryRecord kBinaryRecords[] = {
#define BINARY(NAME, FORM, FLOAT, INTEGER)                                     \
  {BinaryOp::NAME, BinaryForm::FORM, #NAME},
#define BINARY_FLOAT(NAME, FLOAT) {BinaryOp::NAME, BinaryForm::None, #NAME},
#include "kernels/arithmetic/BinaryFn.def"
};
constexpr BinaryForm formOf(BinaryOp op) {
  return kBinaryRecords[uint32_t(op)].form;
}

struct EltwiseIntParams {
  BroadcastShape shape;
  BinaryOp op = BinaryOp::Add;
  /// I8 U8 I16 U16, and I32 with |a * scaleA| below 2^46: sums of products
  /// within a layer.
  DType typeA = DType::I8, typeB = DType::I8;
  int32_t zpA = 0, zpB = 0;
  int32_t scaleA = 1, scaleB = 1; // scale_value[1], scale_value[2]: 0 .. 65535
  Requant requant;                // scale = scale_value[0]; per tensor
};
static_assert(sizeof(EltwiseIntParams) == 188);

struct EltwiseFloatParams {
  BroadcastShape shape;
  BinaryOp op = BinaryOp::Add;
  DType typeA = DType::F32, typeB = DType::F32, outType = DType::F32;
  FloatAct act;
};
static_assert(sizeof(EltwiseFloatParams) == 140);

struct DivIntParams {
  BroadcastShape shape;
  DType typeA = DType::I8, typeB = DType::I8;
  int32_t zpA = 0, zpB = 0;
  uint32_t log2TableSize = 8;
  uint32_t inBits = 8; // bits of typeB
  Requant requant;     // act None, per tensor
};
static_assert(sizeof(DivIntParams) == 184);

#define YARROW_KERNELS "kernels/arithmetic/Eltwise.def"
#include "kernels/DeclareKernels.inc"

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_ARITHMETIC_ELTWISE_H
