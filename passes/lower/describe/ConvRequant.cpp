//===- ConvRequant.cpp - Scales and roundings of the output stage ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/describe/ConvLayer.h"
#include "passes/lower/describe/EngineTypes.h"

using namespace yarrow;
using namespace yarrow::npu;
using kernels::Act;
using kernels::DType;

int32_t ConvLayer::scaleOf(uint64_t channel) const {
  return requant.perChannel ? int32_t(scales.intAt(channel)) : requant.scale;
}

/// Whether the activation makes no sum larger: then one of 32 bits times a wide
/// scale keeps within 2^62. Negative ones are multiplied by their slope.
static bool keepsMagnitudes(const ConvLayer &c) {
  int64_t most = int64_t(1) << std::min(c.requant.slopeShift, 62);
  auto isSmall = [&](int64_t slope) { return std::abs(slope) <= most; };
  if (c.requant.act == Act::LeakyRelu)
    return isSmall(c.requant.slope);
  for (int64_t i = 0; c.requant.act == Act::PRelu && i < c.outC; ++i)
    if (!isSmall(c.slopes.intAt(i)))
      return false;
  return true;
}

bool npu::describeRequant(ConvLayer &c) {
  isa::Conv &d = c.base;
  const kernels::Requant &r = c.requant;
  bool isPlain =
      r.act == Act::None || r.act == Act::Relu || r.act == Act::Relu6;
  if (r.rounding == Rounding::Double ||
      (r.rounding == Rounding::HalfUp && !isPlain))
    return false;
  d.halfUp = r.rounding == Rounding::HalfUp;
  d.perChannel = r.perChannel;
  int32_t most = 0;
  for (uint32_t o = 0; o < (r.perChannel ? c.outC : 1); ++o)
    most = std::max(most, c.scaleOf(o));
  isa::setScale(d, most);
  // Of channels the record has none but says how wide they are.
  if (r.perChannel)
    d.scale = d.scaleHigh = 0;
  else
    d.shift = r.shift;
  return !d.wideScale || keepsMagnitudes(c);
}

bool npu::hasScales(const ConvLayer &c, const isa::Machine &machine) {
  return machine.hasWideScales() ||
         !(c.base.wideScale || (c.hasResidual && c.base.wideSum));
}

/// The magnitude that an operand of a sum has at most.
static double mostOf(DType type, int32_t zp) {
  auto [lo, hi] = compass::dtypeRange(type);
  return std::max(std::abs(double(lo) + zp), std::abs(double(hi) + zp));
}

bool npu::isEngineSum(const kernels::EltwiseIntParams &p,
                      const isa::Machine &machine) {
  int32_t most = std::max({p.scaleA, p.scaleB, p.requant.scale});
  if (most > isa::kMaxNarrowScale) {
    if (!machine.hasWideScales() || !isEngineType(p.typeA) ||
        !isEngineType(p.typeB))
      return false;
    // The output stage's sum and its product have 64 bits. Doubles are at most
    // 2^10 too low here, which is no matter as the rounding adds 2^61 to 2^62.
    double sum =
        mostOf(p.typeA, p.zpA) * p.scaleA + mostOf(p.typeB, p.zpB) * p.scaleB;
    if (sum * std::max(1, p.requant.scale) > double(int64_t(1) << 62))
      return false;
  }
  auto isScale = [](int32_t scale) { return scale >= 0; };
  return p.op == kernels::BinaryOp::Add && !p.isStored && !p.isApart &&
         (p.requant.act == Act::None || p.requant.act == Act::Relu ||
          p.requant.act == Act::Relu6) &&
         isScale(p.scaleA) && isScale(p.scaleB) && isScale(p.requant.scale) &&
         !p.requant.perChannel && p.requant.shift >= -32 &&
         p.requant.shift <= 62 && p.requant.rounding != Rounding::Double;
}
