//===- ElementwiseCases.cpp - Calls of elementwise kernels ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/unit/kernels/KernelCaseBuilder.h"
#include "test/unit/kernels/TypeLimits.h"

using namespace yarrow;
using namespace yarrow::kernels;
using yarrow::testing::kBiasSlot;
using yarrow::testing::KernelCaseBuilder;
using yarrow::testing::kShiftSlot;
using yarrow::testing::kTableSlot;
using yarrow::testing::Limits;
using yarrow::testing::limitsOf;

void KernelCaseBuilder::addUnary(UnaryFn fn) {
  add("yk_unary_float", UnaryFloatParams{.count = between(1, 999),
                                         .inType = floating(),
                                         .outType = floating(),
                                         .fn = fn,
                                         .args = {.alpha = real(0.1f, 2),
                                                  .beta = real(0.1f, 2),
                                                  .gamma = real(0.5f, 1.5f),
                                                  .clipMin = real(-1, 0),
                                                  .clipMax = real(0, 2)}});
}

/// The functions of which \p has is true.
static std::vector<BinaryOp> functionsWith(bool (*has)(BinaryOp)) {
  std::vector<BinaryOp> found;
  for (const BinaryRecord &record : kBinaryRecords)
    if (has(record.op))
      found.push_back(record.op);
  return found;
}

static bool hasIntegerForm(BinaryOp op) {
  return formOf(op) != BinaryForm::None;
}
/// Of stored integers, whose results need not be limited.
static bool hasStoredForm(BinaryOp op) {
  BinaryForm form = formOf(op);
  return form == BinaryForm::Stored || form == BinaryForm::Compared ||
         form == BinaryForm::Rescaled;
}

/// Integers as they are, of all types: no scale, no zero point.
EltwiseIntParams KernelCaseBuilder::storedFunction() {
  static const std::vector<BinaryOp> functions = functionsWith(hasStoredForm);
  auto type = [&] {
    return random.of({DType::I8, DType::U8, DType::I16, DType::U16, DType::I32,
                      DType::U32, DType::I64, DType::Bool});
  };
  EltwiseIntParams p{.shape = broadcast(), .op = random.of(functions)};
  p.isStored = 1;
  p.typeA = type(), p.typeB = type();
  p.requant.outType = type();
  return p;
}

/// Sums and products of 32 bits, which are limited.
EltwiseIntParams KernelCaseBuilder::wideFunction() {
  EltwiseIntParams p{.shape = broadcast()};
  p.op = random.of({BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Max,
                    BinaryOp::Min, BinaryOp::Less});
  p.typeA = p.typeB = random.of({DType::I32, DType::U32});
  p.requant = requant();
  p.requant.outType = p.typeA;
  p.requant.lo = INT32_MIN, p.requant.hi = INT32_MAX;
  return p;
}

void KernelCaseBuilder::addElementwise() {
  static const std::vector<BinaryOp> integerFunctions =
      functionsWith(hasIntegerForm);
  static const std::vector<BinaryOp> floatFunctions =
      functionsWith(hasFloatForm);
  for (int k = 0; k < 3; ++k) {
    EltwiseIntParams p{.shape = broadcast(),
                       .op = random.of(integerFunctions),
                       .typeA = smallInt(),
                       .typeB = smallInt()};
    p.zpA = zeroPoint(p.typeA);
    p.zpB = zeroPoint(p.typeB);
    p.isStored = formOf(p.op) == BinaryForm::Stored;
    if (formOf(p.op) == BinaryForm::Aligned) {
      p.scaleA = int32_t(random.below(65536));
      p.scaleB = int32_t(random.below(65536));
    }
    p.requant = requant(true, true, p.shape.dims[p.shape.rank - 1]);
    p.requant.perChannel = 0;
    add("yk_eltwise_int", p);
    add("yk_eltwise_int", storedFunction());
    add("yk_eltwise_int", wideFunction());
    add("yk_eltwise_float", EltwiseFloatParams{.shape = broadcast(),
                                               .op = random.of(floatFunctions),
                                               .typeA = floating(),
                                               .typeB = floating(),
                                               .outType = floating(),
                                               .act = floatAct(1)});
  }
  DivIntParams div{.shape = broadcast(),
                   .typeA = smallInt(),
                   .typeB = smallInt(),
                   .requant = requant()};
  div.zpA = zeroPoint(div.typeA);
  div.zpB = zeroPoint(div.typeB);
  div.inBits = dtypeBytes(div.typeB) * 8;
  add("yk_div_int", div);
  PReluIntParams prelu{.shape = broadcast(), .inType = smallInt()};
  prelu.inZp = zeroPoint(prelu.inType);
  prelu.requant = requant(true);
  add("yk_prelu_int", prelu);
  add("yk_prelu_float", PReluFloatParams{.shape = broadcast(),
                                         .inType = floating(),
                                         .slopeType = floating(),
                                         .outType = floating()});
  ActivationIntParams activation{.count = between(1, 1500),
                                 .inType =
                                     random.oneIn(4) ? DType::I32 : smallInt()};
  activation.inZp = zeroPoint(activation.inType);
  activation.op = UnaryIntOp(random.below(uint32_t(UnaryIntOp::Sign) + 1));
  activation.requant = requant(true, true, 0);
  if (activation.op >= UnaryIntOp::Negative) {
    activation.requant.scale = 1;
    activation.requant.shift = 0;
  }
  add("yk_activation_int", activation);
  for (DType type : {DType::I8, DType::U8, DType::I16, DType::U16}) {
    LutParams lut{.count = between(1, 1500),
                  .inType = type,
                  .tableType = smallInt(),
                  .indexMin = limitsOf(type).low};
    lut.inBits = dtypeBytes(type) * 8;
    lut.log2Size = lut.inBits == 8 ? 8 : between(8, 12);
    add("yk_lut", lut);
  }
  PeriodicLutParams periodic{
      .count = between(1, 1500), .inType = smallInt(), .tableType = smallInt()};
  periodic.inZp = zeroPoint(periodic.inType);
  periodic.scale = int32_t(random.below(65536));
  periodic.shift = int32_t(between(0, 16));
  add("yk_periodic_lut", periodic);
  for (int k = 0; k < 3; ++k)
    addUnary(anyUnary());
}

void KernelCaseBuilder::addNormalizations() {
  using testing::kBiasSlot;
  using testing::kShiftSlot;
  uint32_t channels = between(1, 40);
  add("yk_batch_norm_int",
      BatchNormIntParams{.outer = between(1, 5),
                         .channels = channels,
                         .inner = between(1, 9),
                         .inType = smallInt(),
                         .weightType = signedInt(),
                         .requant = requant(true, true, channels)},
      {{2, kBiasSlot}, {4, kShiftSlot}});
  add("yk_batch_norm_float", BatchNormFloatParams{.outer = between(1, 5),
                                                  .channels = channels,
                                                  .inner = between(1, 9),
                                                  .inType = floating(),
                                                  .weightType = floating(),
                                                  .biasType = floating(),
                                                  .outType = floating()});
  NormShape shape{.outer = between(1, 3),
                  .reduced = between(1, 6),
                  .groups = between(1, 4),
                  .groupInner = between(1, 9)};
  shape.affineCount = shape.groups * shape.groupInner;
  LayerNormIntParams norm{.shape = shape,
                          .inType = smallInt(),
                          .weightType = signedInt(),
                          .normType = smallInt(),
                          .varShift = int32_t(random.below(8)),
                          .normScale = int32_t(random.below(65536)),
                          .normShift = int32_t(random.below(20)),
                          .requant = requant(false, false, shape.affineCount)};
  add("yk_layer_norm_int", norm,
      {{2, kBiasSlot}, {4, kShiftSlot}, {5, kTableSlot}});
  add("yk_layer_norm_float", LayerNormFloatParams{.shape = shape,
                                                  .inType = floating(),
                                                  .weightType = floating(),
                                                  .biasType = floating(),
                                                  .outType = floating()});
  SoftmaxShape softmax{between(1, 4), between(1, 40), between(1, 9)};
  SoftmaxLutParams lut{.shape = softmax, .inType = smallInt()};
  lut.tableType = random.of({DType::U8, DType::U16});
  lut.inBits = dtypeBytes(lut.inType) * 8;
  lut.log2Size = 8;
  lut.numeratorFirst = flip();
  lut.scale = int32_t(between(1, 255));
  lut.extraBits =
      31 - (lut.numeratorFirst && lut.tableType == DType::U16 ? 16 : 8);
  lut.shift = int32_t(random.below(12)) - 4;
  lut.outType = smallInt();
  lut.lo = limitsOf(lut.outType).low;
  lut.hi = limitsOf(lut.outType).high;
  lut.zp = zeroPoint(lut.outType);
  add("yk_softmax_lut_int", lut);
  SoftmaxExpParams exp{.shape = softmax,
                       .inType = smallInt(),
                       .outType = smallInt(),
                       .inputScale = int32_t(between(1, 8191)),
                       .inputShift = int32_t(between(10, 17)),
                       .pow2OutQ = int32_t(between(20, 28)),
                       .adjustQ = int32_t(random.below(2))};
  exp.lo = limitsOf(exp.outType).low;
  exp.hi = limitsOf(exp.outType).high;
  add("yk_softmax_exp_int", exp);
  add("yk_softmax_float", SoftmaxFloatParams{.shape = softmax,
                                             .inType = floating(),
                                             .outType = floating(),
                                             .isLog = flip()});
}
