//===- QuantParams.h - Scales, zero points and fixed-point multipliers ----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The arithmetic by which a float range becomes a scale and a zero point, and a
// ratio of scales becomes a multiplier and a shift. Compass conventions:
// q = clip(RNE(x * scale - zp)) and x = (q + zp) / scale, where RNE rounds half
// to even. All of it is computed in float32, step by step as the reference
// does, so that the same statistics give the same integer IR
// (docs/explanation/quantization.md).
//
//   LinearParams p = linearParams(-1.0f, 3.0f, RangeMode::Asymmetric, 8, true);
//   int64_t q = quantizeValue(0.5f, p);
//   ScaleApproximation m = approximateScale(0.0049f, 8); // 160 / 2^15
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_MATH_QUANTPARAMS_H
#define YARROW_QUANTIZER_MATH_QUANTPARAMS_H

#include "support/LinearValue.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace yarrow {

/// How a float range is laid onto integers.
enum class RangeMode {
  SymmetricRestricted, ///< -127..127 for signed 8 bits, zero point 0
  SymmetricFull,       ///< -128..127, zero point 0
  Asymmetric,          ///< the whole range, any zero point
};

/// A value of quantize_method_for_weight or quantize_method_for_activation,
/// such as "per_channel_symmetric_restricted_range".
struct QuantMethod {
  bool perChannel = false;
  RangeMode mode = RangeMode::SymmetricRestricted;
  bool perBlock = false; ///< Of weights alone: neighbours along the last axis.

  static std::optional<QuantMethod> parse(std::string_view name);
  std::string str() const;
  bool operator==(const QuantMethod &) const = default;
};

/// A closed float interval.
struct FloatRange {
  float min = 0, max = 0;
};

struct LinearParams {
  float scale = 1;
  int32_t zp = 0;
  unsigned bits = 8;
  bool isSigned = true;
  int64_t qmin = -128, qmax = 127;
};

/// Activations of many bits have none: their zero points would take what the
/// sums have to spare.
constexpr bool hasZeroPoints(unsigned activationBits) {
  return activationBits < 16;
}

/// The smallest and the largest integer of \p bits bits.
int64_t integerMin(unsigned bits, bool isSigned);
int64_t integerMax(unsigned bits, bool isSigned);

/// Scale and zero point for [min, max], which is widened to contain 0. A range
/// narrower than float32's epsilon gets scale 1.
LinearParams linearParams(float min, float max, RangeMode mode, unsigned bits,
                          bool isSigned);

inline int64_t quantizeValue(float x, const LinearParams &p) {
  return quantizeValue(x, p.scale, p.zp, p.qmin, p.qmax);
}
/// ratio = multiplier / 2^shift, nearly.
struct ScaleApproximation {
  int32_t multiplier = 1;
  int32_t shift = 0;
  double value() const;
  bool operator==(const ScaleApproximation &) const = default;
};

/// For a ratio that is not positive and finite; no shift goes as far.
inline constexpr ScaleApproximation kNoApproximation{0, 127};

/// The multiplier of at most min(multiplierBits, 15) bits and the shift of at
/// most \p maxShift that are nearest to \p ratio > 0. The shift is negative for
/// a ratio above the largest multiplier.
ScaleApproximation approximateScale(float ratio, unsigned multiplierBits,
                                    int32_t maxShift = 31);
/// Element type of a multiplier in the IR, by its width alone.
inline std::string_view multiplierType(unsigned multiplierBits) {
  return multiplierBits <= 8 ? "uint8" : "uint16";
}
/// The narrowest of uint8/16/32 or int8/16/32 that holds [min, max]; signed if
/// min is negative or \p forceSigned. For key types such as
/// negative_slope_type.
std::string_view narrowestType(double min, double max,
                               bool forceSigned = false);

/// What gives way where one shift would leave a channel without a multiplier.
enum class ShiftsMerge {
  Layer,   ///< All channels are merged pairwise until none does.
  Channel, ///< Weak channels get wider ranges.
  Exact,   ///< All channels get ranges with which their multipliers are exact.
};

/// What shifts of a layer must be.
struct ShiftRules {
  /// All channels get the largest channel's shift, because the tensor engine
  /// has one shift register, and multipliers of up to 15 bits.
  bool unify = false;
  bool arePositive = false; ///< force_shift_positive
  ShiftsMerge merge = ShiftsMerge::Layer;
};

/// The approximation without a negative shift: the largest multiplier in its
/// place, which is less than was asked for.
ScaleApproximation withPositiveShift(ScaleApproximation a,
                                     unsigned multiplierBits);

/// Weight scales and requantization of a layer with one scale per output
/// channel or group of output channels.
struct ChannelParams {
  std::vector<LinearParams> channels;      ///< one per channel
  std::vector<ScaleApproximation> requant; ///< one per channel
  unsigned channelsPerGroup = 1;
  /// Channels whose ratio ShiftRules::arePositive changed.
  unsigned numForced = 0;
};

/// \p ranges holds the weights' extrema per channel; \p groups of consecutive
/// channels share a scale. \p ratioOf gives the ratio to approximate from a
/// weight scale. \p given, if it is not empty, has what channels that have a
/// group to themselves are quantized with, in the place of their ranges, unless
/// a multiplier needs a wider range.
ChannelParams
channelParams(std::span<const FloatRange> ranges, unsigned groups,
              RangeMode mode, unsigned weightBits, unsigned multiplierBits,
              const ShiftRules &rules,
              const std::function<float(float)> &ratioOf,
              std::span<const std::optional<LinearParams>> given = {});

/// Multipliers that bring two operands to a common scale, and the
/// requantization of their sum (docs/operators/eltwise.md, Eltwise).
struct EltwiseScales {
  int32_t scale0 = 1, scale1 = 1;
  ScaleApproximation out;
};
EltwiseScales eltwiseAddScales(float scaleIn0, float scaleIn1, float scaleOut,
                               unsigned multiplierBits);
/// Whether two operands already have a common scale, up to a ratio of
/// \p threshold, and zero point.
bool haveCommonScale(float scale0, int32_t zp0, float scale1, int32_t zp1,
                     float threshold = 1);

/// Clears the low bits of \p biases that do not fit in \p effectiveBits, as
/// hardware drops them that stores biases shifted. Nothing for 32 bits.
void clearLowBiasBits(std::span<int64_t> biases, unsigned effectiveBits);

} // namespace yarrow

#endif // YARROW_QUANTIZER_MATH_QUANTPARAMS_H
