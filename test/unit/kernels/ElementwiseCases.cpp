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

/// Rows or columns, two kept and two reduced axes before them.
NormShape KernelCaseBuilder::normShape() {
  NormShape shape;
  shape.innerAffineStride = random.below(2);
  bool isColumns = flip();
  shape.groupColumns = isColumns ? between(1, 5) : 0;
  shape.inner =
      isColumns ? shape.groupColumns * between(1, 20) : between(1, 200);
  shape.blockColumns = isColumns ? shape.groupColumns * between(1, 8) : 0;
  uint32_t stride = shape.inner, affine = shape.inner;
  for (NormAxes *axes : {&shape.reduced, &shape.kept}) {
    axes->rank = between(0, 2);
    for (uint32_t d = axes->rank; d-- > 0; stride *= axes->dims[d]) {
      axes->dims[d] = between(1, 2); // 16 runs fit a slot
      axes->strides[d] = stride;
      axes->affineStrides[d] = random.oneIn(3) ? affine : 0;
      affine += axes->affineStrides[d] * axes->dims[d];
    }
  }
  shape.parts = between(1, 3);
  return shape;
}

void KernelCaseBuilder::addNormalizedGroups() {
  using testing::kBiasSlot;
  using testing::kBoundsSlot;
  using testing::kShiftSlot;
  using testing::kTableSlot;
  for (NormForm form :
       {NormForm::Narrow, NormForm::Wide, NormForm::RootMeanSquare}) {
    LayerNormIntParams p{.shape = normShape(), .form = form};
    p.inType = form == NormForm::Narrow ? random.of({DType::I8, DType::U8})
                                        : random.of({DType::I16, DType::U16});
    p.inZp = zeroPoint(p.inType);
    p.varShift = int32_t(random.below(8));
    p.normScale = int32_t(random.below(flip() ? 2 : 65536));
    p.normShift = int32_t(random.below(20));
    p.hasWeights = flip(), p.hasBias = flip();
    p.weightType = signedInt();
    p.requant = requant(false, false, 1);
    add("yk_layer_norm_int", p,
        {{2, kBiasSlot}, {4, kShiftSlot}, {5, kTableSlot}});
    // Rows: the sums of columns that it may be given are those of the kernel
    // below, and no noise is. Both together are NormLoweringTest's.
    p.shape.parts = 1;
    p.shape.groupColumns = p.shape.blockColumns = 0;
    add("yk_norm_gains", p, {{1, kTableSlot}});
    // Small sums and large squares: no variance is below 0.
    GroupGainsParams found{.layer = p,
                           .runs = between(1, 2),
                           .groups = between(1, 32),
                           .terms = between(1, 3000)};
    if (form == NormForm::RootMeanSquare && flip())
      found.layer.inType = DType::I8, found.layer.inZp = 3;
    add("yk_group_gains", found,
        {{0, kBoundsSlot}, {1, kTableSlot}, {2, kTableSlot}});
    LayerNormIntParams columns{.shape = {.inner = 1u << random.below(6)}};
    columns.shape.groupColumns = 1;
    columns.shape.blockColumns = columns.shape.inner;
    columns.shape.reduced = {
        .rank = 1, .dims = {between(1, 9)}, .strides = {columns.shape.inner}};
    columns.shape.parts = between(1, columns.shape.reduced.dims[0]);
    columns.inType = random.of({DType::I8, DType::U8});
    add("yk_norm_sums", columns);
  }
  add("yk_layer_norm_float", LayerNormFloatParams{.shape = normShape(),
                                                  .inType = floating(),
                                                  .outType = floating(),
                                                  .subtractsMean = flip(),
                                                  .hasWeights = flip(),
                                                  .hasBias = flip(),
                                                  .weightType = floating(),
                                                  .biasType = floating()});
  for (uint32_t order : {1u, 2u}) {
    LpNormIntParams p{.shape = normShape(),
                      .order = order,
                      .inType = smallInt(),
                      .scale = int32_t(random.below(256)),
                      .shift = int32_t(between(0, 12)) - 4,
                      .preShift = int32_t(random.below(4)),
                      .requant = requant()};
    p.inZp = zeroPoint(p.inType);
    p.requant.scale = 1, p.requant.shift = 0;
    add("yk_lp_norm_int", p, {{1, kTableSlot}});
    add("yk_lp_norm_float", LpNormFloatParams{.shape = normShape(),
                                              .order = order,
                                              .inType = floating(),
                                              .outType = floating(),
                                              .epsilon = 1e-6f});
  }
  for (uint32_t within : {0u, 1u}) {
    LocalResponseShape shape{.batch = between(1, 2),
                             .height = between(1, 4),
                             .width = between(1, 5),
                             .channels = between(1, 40),
                             .size = between(0, 3) * 2 + 1,
                             .withinChannel = within};
    LocalResponseIntParams p{.shape = shape,
                             .inType = smallInt(),
                             .sumScale = int32_t(random.below(256)),
                             .sumShift = int32_t(random.below(20)),
                             .log2TableSize = 8,
                             .requant = requant()};
    p.inZp = zeroPoint(p.inType);
    p.shape.size += random.below(2);
    add("yk_local_response_int", p);
    add("yk_local_response_float",
        LocalResponseFloatParams{.shape = shape,
                                 .inType = floating(),
                                 .outType = floating(),
                                 .alpha = real(0, 2),
                                 .beta = flip() ? 0.5f : 0.75f});
  }
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
  addNormalizedGroups();
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
  add("yk_softmax_reverse",
      SoftmaxReverseParams{.count = between(1, 1500),
                           .scale = int32_t(between(1, 255)),
                           .extraBits = int32_t(between(0, 23))});
  add("yk_softmax_log",
      SoftmaxLogParams{.count = between(1, 1500),
                       .pow2OutQ = int32_t(between(16, 30)),
                       .adjustQ = int32_t(random.below(2))},
      {{0, testing::kBoundsSlot}, {1, testing::kTableSlot}});
  LogSoftmaxIntParams log{.shape = softmax, .inType = smallInt()};
  log.inBits = dtypeBytes(log.inType) * 8;
  log.inputScale = real(0, 1), log.outputScale = real(1, 100);
  log.outType = smallInt();
  log.lo = limitsOf(log.outType).low;
  log.hi = limitsOf(log.outType).high;
  log.zp = zeroPoint(log.outType);
  add("yk_log_softmax_int", log);
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
  SoftmaxPow2Params pow2{.shape = softmax,
                         .inType = smallInt(),
                         .outType = flip() ? DType::U8 : DType::U16,
                         .inputScale = int32_t(between(1, 65535)),
                         .inputShift = int32_t(between(0, 31)),
                         .pow2OutQ = int32_t(between(20, 31)),
                         .fractionBits = int32_t(between(8, 15))};
  pow2.hi = limitsOf(pow2.outType).high;
  add("yk_softmax_pow2_int", pow2);
  add("yk_softmax_float", SoftmaxFloatParams{.shape = softmax,
                                             .inType = floating(),
                                             .outType = floating(),
                                             .isLog = flip()});
}
