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
