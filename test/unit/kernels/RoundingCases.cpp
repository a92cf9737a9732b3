//===- RoundingCases.cpp - Calls with wide multipliers and roundings ------===//
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
using yarrow::testing::kMultiplierSlot;
using yarrow::testing::kShiftSlot;

/// A multiplier of 31 bits, and a shift that leaves something of sums of 16.
Requant KernelCaseBuilder::wideRequant(Rounding rounding) {
  Requant r = requant();
  r.rounding = rounding;
  r.scale = int32_t(between(1u << 30, INT32_MAX));
  r.shift = int32_t(between(28, 48));
  r.act = random.of({Act::None, Act::Relu, Act::Relu6});
  return r;
}

void KernelCaseBuilder::addRoundings() {
  for (Rounding rounding :
       {Rounding::HalfEven, Rounding::HalfUp, Rounding::Double}) {
    ActivationIntParams activation{.count = between(1, 1500),
                                   .inType = smallInt()};
    activation.inZp = zeroPoint(activation.inType);
    activation.requant = wideRequant(rounding);
    add("yk_activation_int", activation);
    if (rounding != Rounding::HalfEven) {
      activation.requant.act = Act::LeakyRelu;
      activation.requant.slope = int32_t(between(1u << 30, INT32_MAX));
      activation.requant.slopeShift = int32_t(between(29, 34));
      add("yk_activation_int", activation);
    }
    CastParams cast{.count = between(1, 1500), .inType = smallInt()};
    Requant r = wideRequant(rounding);
    cast.outType = r.outType;
    cast.mode = CastMode::Requantize;
    cast.inZp = zeroPoint(cast.inType), cast.zp = r.zp;
    cast.scale = r.scale, cast.shift = r.shift;
    cast.lo = r.lo, cast.hi = r.hi;
    cast.rounding = rounding;
    add("yk_cast", cast);
    EltwiseIntParams sum{.shape = broadcast(),
                         .op = random.of({BinaryOp::Add, BinaryOp::Sub}),
                         .typeA = smallInt(),
                         .typeB = smallInt()};
    sum.zpA = zeroPoint(sum.typeA), sum.zpB = zeroPoint(sum.typeB);
    sum.requant = wideRequant(rounding);
    sum.isApart = 1;
    sum.leftShift = int32_t(between(0, 13)); // 18 bits of a value
    sum.scaleA = int32_t(between(1u << 30, INT32_MAX));
    sum.scaleB = int32_t(between(1u << 30, INT32_MAX));
    sum.shiftA = int32_t(between(31, 40)),
    sum.shiftB = int32_t(between(31, 40));
    add("yk_eltwise_int", sum);
    sum.isApart = 0;
    sum.requant.scale = int32_t(between(1, 1 << 12));
    sum.requant.shift = int32_t(between(30, 55));
    add("yk_eltwise_int", sum);
    FullyConnectedIntParams product{.rows = between(1, 3),
                                    .inFeatures = between(1, 100),
                                    .outFeatures = between(1, 100)};
    product.inType = random.of({DType::I8, DType::U8});
    product.requant = wideRequant(rounding);
    product.requant.perChannel = flip();
    product.requant.scaleType = DType::I32;
    add("yk_fully_connected_int", product,
        {{2, kBiasSlot}, {3, kMultiplierSlot}, {4, kShiftSlot}});
  }
  PoolIntParams mean{.shape = pool(), .inType = smallInt()};
  mean.outType = mean.inType;
  mean.inZp = mean.zp = zeroPoint(mean.inType);
  mean.lo = limitsOf(mean.outType).low, mean.hi = limitsOf(mean.outType).high;
  mean.isHalfAway = 1;
  mean.shape.method = PoolMethod::Avg;
  mean.shape.countIncludePad = 0;
  add("yk_pool_int", mean);
}
