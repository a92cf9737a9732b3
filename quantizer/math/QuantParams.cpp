//===- QuantParams.cpp - Scales, zero points and fixed-point multipliers --===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/math/QuantParams.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

namespace yarrow {

static constexpr float kEpsilon = std::numeric_limits<float>::epsilon();
/// A narrower range is none: with scales up to 65535 / it, those of products,
/// and their ratios to the scale of a result, remain floats.
static constexpr float kLeastRange = 0x1p-60f;

std::optional<QuantMethod> QuantMethod::parse(std::string_view name) {
  QuantMethod method;
  if (name.starts_with("per_channel_"))
    method.perChannel = true;
  else if (name.starts_with("per_block_"))
    method.perBlock = true;
  else if (!name.starts_with("per_tensor_"))
    return std::nullopt;
  name.remove_prefix(name.find('_', 4) + 1);
  if (name == "symmetric_restricted_range")
    method.mode = RangeMode::SymmetricRestricted;
  else if (name == "symmetric_full_range")
    method.mode = RangeMode::SymmetricFull;
  else if (name == "asymmetric")
    method.mode = RangeMode::Asymmetric;
  else
    return std::nullopt;
  return method;
}

std::string QuantMethod::str() const {
  std::string name = perChannel ? "per_channel_"
                     : perBlock ? "per_block_"
                                : "per_tensor_";
  switch (mode) {
  case RangeMode::SymmetricRestricted:
    return name + "symmetric_restricted_range";
  case RangeMode::SymmetricFull:
    return name + "symmetric_full_range";
  case RangeMode::Asymmetric:
    return name + "asymmetric";
  }
  assert(false && "unknown range mode");
  return name;
}

int64_t integerMin(unsigned bits, bool isSigned) {
  assert(bits > 0 && bits < 63);
  return isSigned ? -(int64_t(1) << (bits - 1)) : 0;
}

int64_t integerMax(unsigned bits, bool isSigned) {
  assert(bits > 0 && bits < 63);
  return (int64_t(1) << (isSigned ? bits - 1 : bits)) - 1;
}

LinearParams linearParams(float min, float max, RangeMode mode, unsigned bits,
                          bool isSigned) {
  // Zero must be exact: padding and ReLU depend on it.
  min = std::min(min, 0.0f);
  max = std::max(max, 0.0f);
  LinearParams p;
  p.bits = bits;
  p.isSigned = isSigned;
  p.qmin = integerMin(bits, isSigned);
  p.qmax = integerMax(bits, isSigned);
  if (isSigned && mode == RangeMode::SymmetricRestricted)
    ++p.qmin;
  auto steps = float(p.qmax - p.qmin);
  float range = mode == RangeMode::Asymmetric
                    ? max - min
                    : std::max(-min, max) * (isSigned ? 2.0f : 1.0f);
  if (!(range >= kLeastRange)) // NaN too
    range = steps;
  p.scale = steps / range;
  if (mode == RangeMode::Asymmetric) {
    float limit = float(integerMax(bits, /*isSigned=*/true));
    float zp = std::nearbyint(p.scale * min) - float(p.qmin);
    p.zp = int32_t(std::clamp(zp, -limit, limit));
  }
  return p;
}

double ScaleApproximation::value() const {
  return std::ldexp(double(multiplier), -shift);
}

/// The approximation before 1 * 2^shift / 2^shift is simplified.
static ScaleApproximation
nearestApproximation(float ratio, unsigned multiplierBits, int32_t maxShift) {
  if (!(ratio > 0 && std::isfinite(ratio)))
    return kNoApproximation;
  // The engines' multiplier is a signed 16-bit operand.
  unsigned bits = std::min(multiplierBits, 15u);
  auto largest = float((1u << bits) - 1);
  float shift =
      std::min(std::floor(std::log2(largest / ratio)), float(maxShift));
  float multiplier = std::floor(ratio * std::exp2(shift) + 0.5f);
  return {int32_t(multiplier), int32_t(shift)};
}

static bool isNone(const ScaleApproximation &a) {
  return a == kNoApproximation;
}

static bool isOne(const ScaleApproximation &a) {
  return double(a.multiplier) == std::exp2(double(a.shift));
}

ScaleApproximation approximateScale(float ratio, unsigned multiplierBits,
                                    int32_t maxShift) {
  ScaleApproximation a = nearestApproximation(ratio, multiplierBits, maxShift);
  return isOne(a) ? ScaleApproximation{1, 0} : a;
}

ScaleApproximation withPositiveShift(ScaleApproximation a,
                                     unsigned multiplierBits) {
  if (a.shift >= 0)
    return a;
  return {int32_t((1u << std::min(multiplierBits, 15u)) - 1), 0};
}

std::string_view narrowestType(double min, double max, bool forceSigned) {
  if (min < 0 || forceSigned)
    return max > 32767 || min < -32768 ? "int32"
           : max > 127 || min < -128   ? "int16"
                                       : "int8";
  return max > 65535 ? "uint32" : max > 255 ? "uint16" : "uint8";
}

/// Extrema of \p groups groups of consecutive channels. A last group that is
/// not full is filled up with zeros, which ranges contain anyway.
static std::vector<FloatRange> groupRanges(std::span<const FloatRange> ranges,
                                           unsigned channelsPerGroup) {
  std::vector<FloatRange> grouped;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (i % channelsPerGroup == 0)
      grouped.push_back(ranges[i]);
    grouped.back().min = std::min(grouped.back().min, ranges[i].min);
    grouped.back().max = std::max(grouped.back().max, ranges[i].max);
  }
  return grouped;
}

/// Gives all channels, which have a multiplier, the largest shift. Returns
/// false if a multiplier is lost.
static bool unifyShiftsOf(std::vector<ScaleApproximation> &requant) {
  int32_t shift = 0;
  for (const ScaleApproximation &r : requant)
    shift = std::max(shift, r.shift);
  std::vector<int64_t> multipliers;
  int64_t largest = 0;
  for (const ScaleApproximation &r : requant) {
    // The largest multiplier, of at least this many bits, has to come down to
    // 15; one of 16 bits or less with the largest shift is lost on the way. Up
    // to here no multiplier leaves 64 bits.
    if (shift - r.shift > 40)
      return false;
    multipliers.push_back(int64_t(r.multiplier) << (shift - r.shift));
    largest = std::max(largest, multipliers.back());
  }
  double excess = double(largest) / 32767.0;
  int32_t reduce = excess > 1 ? int32_t(std::ceil(std::log2(excess))) : 0;
  bool kept = true;
  for (std::size_t i = 0; i < requant.size(); ++i) {
    requant[i] = {int32_t(multipliers[i] >> reduce), shift - reduce};
    kept &= requant[i].multiplier > 0;
  }
  return kept;
}

/// The next multiplier of 8 significant bits: with more of them, products would
/// have more bits than a float, in which other tools compute them.
static double nextMultiplier(double exact) {
  double unit = std::exp2(std::max(0.0, std::floor(std::log2(exact)) - 7));
  return std::ceil(exact / unit) * unit;
}

/// Gives all channels the shift of the largest ratio. A channel whose
/// multiplier had fewer than seven bits there, and with ShiftsMerge::Exact
/// every channel, gets a range a little wider, up to the next multiplier, which
/// is exact then. With a multiplier of few bits a channel would have a gain of
/// its own otherwise, of 25 % where 1.6 becomes 2.
static ChannelParams
fitChannelsToShift(std::span<const FloatRange> grouped, ChannelParams params,
                   ShiftsMerge merge, RangeMode mode, unsigned weightBits,
                   const std::function<float(float)> &ratioOf,
                   std::span<const std::optional<LinearParams>> given) {
  constexpr double kLargest = 32767, kLeast = 64;
  auto paramsOf = [&](FloatRange r, double factor) {
    return linearParams(float(r.min * factor), float(r.max * factor), mode,
                        weightBits, /*isSigned=*/true);
  };
  // A channel without weights may have any range.
  auto isEmpty = [](FloatRange r) { return !(r.max - r.min >= kLeastRange); };
  double largest = 0;
  for (FloatRange r : grouped)
    if (!isEmpty(r))
      largest = std::max(largest, double(ratioOf(paramsOf(r, 1).scale)));
  if (!(largest > 0 && std::isfinite(largest)))
    return params;
  int shift = std::min(31, int(std::floor(std::log2(kLargest / largest))));
  for (std::size_t i = 0; i < params.channels.size(); ++i) {
    FloatRange range = grouped[i / params.channelsPerGroup];
    bool hasWeights = !isEmpty(range);
    if (!hasWeights)
      range = {-1, 1};
    double exact = std::ldexp(double(ratioOf(paramsOf(range, 1).scale)), shift);
    bool isFitted = exact < kLeast || merge == ShiftsMerge::Exact;
    double multiplier = !hasWeights ? kLeast
                        : isFitted  ? std::max(1.0, nextMultiplier(exact))
                                    : std::floor(exact + 0.5);
    bool isUsable = multiplier > kLeast && params.channelsPerGroup == 1 &&
                    !given.empty() && given[i];
    if (isUsable)
      multiplier = std::floor(exact + 0.5);
    multiplier = std::min(multiplier, kLargest);
    isFitted |= multiplier <= kLeast;
    params.channels[i] =
        isUsable ? *given[i]
                 : paramsOf(range, isFitted ? multiplier / exact : 1);
    params.requant[i] = {int32_t(multiplier), shift};
  }
  return params;
}

/// Channels that are nothing beside the widest one have no range at all: with
/// scales of their own no multiplier would lead to the scale of the result.
static std::vector<FloatRange> withoutDead(std::span<const FloatRange> ranges) {
  float widest = 0;
  for (FloatRange r : ranges)
    widest = std::max(widest, r.max - r.min);
  std::vector<FloatRange> lively(ranges.begin(), ranges.end());
  for (FloatRange &r : lively)
    if (!(r.max - r.min >= kEpsilon * widest / 2))
      r = {};
  return lively;
}

ChannelParams
channelParams(std::span<const FloatRange> ranges, unsigned groups,
              RangeMode mode, unsigned weightBits, unsigned multiplierBits,
              const ShiftRules &rules,
              const std::function<float(float)> &ratioOf,
              std::span<const std::optional<LinearParams>> given) {
  auto count = unsigned(ranges.size());
  assert(count > 0 && groups > 0);
  std::vector<FloatRange> lively = withoutDead(ranges);
  ranges = lively;
  groups = std::min(groups, count);
  while (true) {
    ChannelParams params;
    params.channelsPerGroup = (count + groups - 1) / groups;
    std::vector<FloatRange> grouped =
        groupRanges(ranges, params.channelsPerGroup);
    for (unsigned i = 0; i < count; ++i) {
      FloatRange range = grouped[i / params.channelsPerGroup];
      bool isUsable =
          params.channelsPerGroup == 1 && !given.empty() && given[i];
      params.channels.push_back(isUsable ? *given[i]
                                         : linearParams(range.min, range.max,
                                                        mode, weightBits,
                                                        /*isSigned=*/true));
      ScaleApproximation r = nearestApproximation(
          ratioOf(params.channels.back().scale), multiplierBits, 31);
      if (rules.arePositive && r.shift < 0) {
        r = withPositiveShift(r, multiplierBits);
        ++params.numForced;
      }
      params.requant.push_back(r);
    }
    if (std::any_of(params.requant.begin(), params.requant.end(), isNone))
      return params;
    if (std::all_of(params.requant.begin(), params.requant.end(), isOne))
      params.requant.assign(count, {1, 0});
    auto fitted = [&] {
      return fitChannelsToShift(grouped, std::move(params), rules.merge, mode,
                                weightBits, ratioOf, given);
    };
    if (rules.unify && rules.merge == ShiftsMerge::Exact && count > 1)
      return fitted();
    if (!rules.unify || unifyShiftsOf(params.requant) || groups == 1)
      return params;
    if (rules.merge != ShiftsMerge::Layer)
      return fitted();
    groups /= 2;
  }
}

EltwiseScales eltwiseAddScales(float scaleIn0, float scaleIn1, float scaleOut,
                               unsigned multiplierBits) {
  constexpr float kLargest = 32767; // 15 bits: no unsigned 16-bit operand
  // out = (q0 / s0 + q1 / s1) * s = (q0 * s1 + q1 * s0) * s / (s0 * s1), so
  // each operand is multiplied with the other one's scale.
  ScaleApproximation a0 = approximateScale(scaleIn0, 15);
  ScaleApproximation a1 = approximateScale(scaleIn1, 15);
  auto common = float(std::max(a0.shift, a1.shift));
  float scale0 = float(a1.multiplier) * std::exp2(common - float(a1.shift));
  float scale1 = float(a0.multiplier) * std::exp2(common - float(a0.shift));
  float both = scaleIn1 * scaleIn0;
  float ratio =
      (std::isfinite(both) ? scaleOut / both : scaleOut / scaleIn1 / scaleIn0) /
      std::exp2(common);
  if (float shrink = std::max(scale0, scale1) / kLargest; shrink > 1) {
    scale0 /= shrink;
    scale1 /= shrink;
    ratio *= shrink;
  }
  EltwiseScales scales;
  scales.scale0 = int32_t(std::clamp(std::nearbyint(scale0), 0.0f, kLargest));
  scales.scale1 = int32_t(std::clamp(std::nearbyint(scale1), 0.0f, kLargest));
  scales.out = approximateScale(ratio, multiplierBits);
  if (scales.out.shift < 0)
    scales.out = {int32_t(std::clamp(scales.out.value(), 1.0, 32767.0)), 0};
  return scales;
}

bool haveCommonScale(float scale0, int32_t zp0, float scale1, int32_t zp1,
                     float threshold) {
  float ratio =
      std::max(scale0, scale1) / (std::min(scale0, scale1) * (1 + kEpsilon));
  return ratio <= threshold && zp0 == zp1;
}

void clearLowBiasBits(std::span<int64_t> biases, unsigned effectiveBits) {
  int64_t min = -1, max = 1;
  for (int64_t b : biases) {
    min = std::min(min, b);
    max = std::max(max, b);
  }
  double excess = std::max(
      std::log2(double(max) / double(integerMax(effectiveBits, true))),
      std::log2(double(min) / double(integerMin(effectiveBits, true))));
  auto lowBits = int(std::ceil(excess));
  if (lowBits <= 0)
    return;
  for (int64_t &b : biases)
    b = (b >> lowBits) * (int64_t(1) << lowBits);
}

} // namespace yarrow
