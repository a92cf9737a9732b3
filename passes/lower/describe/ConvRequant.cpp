//===- ConvRequant.cpp - Scales and roundings of the output stage ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "passes/lower/describe/ConvLayer.h"
#include "passes/lower/describe/EngineTypes.h"

#include <cmath>

using namespace yarrow;
using namespace yarrow::npu;
using kernels::Act;
using kernels::DType;

static isa::Activation activationOf(Act act) {
  switch (act) {
  case Act::None:
    return isa::Activation::None;
  case Act::Relu:
  case Act::Relu6: // The range has the upper bound.
    return isa::Activation::Relu;
  case Act::LeakyRelu:
    return isa::Activation::LeakyRelu;
  case Act::PRelu:
    return isa::Activation::PRelu;
  case Act::Clip:
    return isa::Activation::Clip;
  }
}

void npu::setActivation(const kernels::Requant &r, isa::Conv &d) {
  d.activation = activationOf(r.act);
  // Of 8 bits, CLIP rounds twice (docs/operators/activation.md, Activation).
  if (r.act == Act::Clip)
    d.clipRoundBits = kernels::dtypeBytes(r.outType) == 1 ? 8 : 0;
  d.clipMin = r.clipMin, d.clipMax = r.clipMax;
  d.slope = r.slope, d.slopeShift = r.slopeShift;
  d.outZeroPoint = r.zp, d.outMin = r.lo, d.outMax = r.hi;
}

std::optional<isa::Activation> npu::sumActivationOf(const kernels::Requant &r) {
  bool isLeaky = r.act == Act::LeakyRelu || r.act == Act::PRelu;
  // Halves that go up have another form of slopes, TFLite's.
  if (r.act == Act::Clip || (isLeaky && r.rounding != Rounding::HalfEven) ||
      (r.act == Act::PRelu && r.slopeType != DType::I16))
    return std::nullopt;
  return activationOf(r.act);
}

bool npu::isEngineRequant(const kernels::Requant &r,
                          const isa::Machine &machine) {
  return !r.perChannel && r.rounding != Rounding::Double && r.scale >= 0 &&
         (r.scale <= isa::kMaxNarrowScale || machine.hasWideScales()) &&
         r.shift >= -32 && r.shift <= 62 && r.slopeShift >= 0 &&
         r.slopeShift <= 62;
}

bool npu::roundsExactly(double most, const kernels::Requant &r) {
  double slope = r.act == Act::LeakyRelu ? std::abs(double(r.slope))
                 : r.act == Act::PRelu   ? -double(INT16_MIN)
                                         : 0;
  double kept = most * std::max(1.0, std::ldexp(slope, -r.slopeShift) + 1);
  // Doubles are at most 2^10 too low here, which does not matter: the rounding
  // adds 2^61 to 2^62, and the stage has 64 bits.
  constexpr double kMost = double(int64_t(1) << 62);
  return most * slope <= kMost && kept * std::max(1, r.scale) <= kMost;
}

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
