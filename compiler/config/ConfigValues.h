//===- ConfigValues.h - Reading the values of keys --------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// One readValue per type a setting can have. Each answers false and says in
// `problem` what is wrong:
//
//   int bits;
//   readValue("17", integer(4, 16), folder, bits, problem)
//     // false, "17 is not an integer from 4 to 16"
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_CONFIG_CONFIGVALUES_H
#define YARROW_COMPILER_CONFIG_CONFIGVALUES_H

#include "compiler/config/BuildConfig.h"
#include "compiler/config/ValueKind.h"

namespace yarrow::config {

/// \p text as a path that starts at \p folder, unless it is absolute or empty.
std::string completePath(std::string_view text, const std::string &folder);

#define YARROW_DECLARE_READ_VALUE(TYPE)                                        \
  bool readValue(std::string_view text, const ValueKind &kind,                 \
                 const std::string &folder, TYPE &value,                       \
                 std::string &problem);
YARROW_DECLARE_READ_VALUE(std::string)
YARROW_DECLARE_READ_VALUE(std::vector<std::string>)
YARROW_DECLARE_READ_VALUE(std::vector<int>)
YARROW_DECLARE_READ_VALUE(bool)
YARROW_DECLARE_READ_VALUE(int)
YARROW_DECLARE_READ_VALUE(std::optional<int>)
YARROW_DECLARE_READ_VALUE(double)
YARROW_DECLARE_READ_VALUE(BuildMode)
YARROW_DECLARE_READ_VALUE(Tiling)
YARROW_DECLARE_READ_VALUE(WinogradChoice)
YARROW_DECLARE_READ_VALUE(QuantizeMethod)
YARROW_DECLARE_READ_VALUE(CalibrationStrategy)
YARROW_DECLARE_READ_VALUE(FloatTrigger)
YARROW_DECLARE_READ_VALUE(ValueTrim)
YARROW_DECLARE_READ_VALUE(ShiftsMerge)
YARROW_DECLARE_READ_VALUE(std::vector<ScaleUnion>)
YARROW_DECLARE_READ_VALUE(std::vector<LayerRange>)
YARROW_DECLARE_READ_VALUE(SoftmaxTuning)
YARROW_DECLARE_READ_VALUE(std::vector<GlobalCalibration>)
YARROW_DECLARE_READ_VALUE(std::vector<Metric>)
YARROW_DECLARE_READ_VALUE(PrecisionTarget)
YARROW_DECLARE_READ_VALUE(DecisionThresholds)
#undef YARROW_DECLARE_READ_VALUE

// The values of per-layer settings as a file spells them; readValue of it gives
// the same value again.
std::string valueText(bool value);
std::string valueText(const std::string &value);
std::string valueText(int value);
std::string valueText(const std::optional<int> &value);
std::string valueText(double value);
std::string valueText(const QuantizeMethod &value);
std::string valueText(const CalibrationStrategy &value);
std::string valueText(const FloatTrigger &value);
std::string valueText(const SoftmaxTuning &value);
std::string valueText(const ValueTrim &value);
std::string valueText(ShiftsMerge value);
std::string valueText(const std::vector<ScaleUnion> &value);

template <typename T>
bool readValue(std::string_view text, const ValueKind &kind,
               const std::string &folder, PerLayer<T> &value,
               std::string &problem) {
  std::optional<PerLayerText> parts = parsePerLayer(text, problem);
  if (!parts)
    return false;
  PerLayer<T> result;
  if (!readValue(parts->global, kind, folder, result.global, problem))
    return false;
  for (PerLayerText::Rule &rule : parts->rules) {
    typename PerLayer<T>::Rule &read = result.rules.emplace_back();
    read.where = std::move(rule.where);
    read.text = std::move(rule.text);
    if (!readValue(rule.value, kind, folder, read.value, problem))
      return false;
  }
  value = std::move(result);
  return true;
}

} // namespace yarrow::config

#endif // YARROW_COMPILER_CONFIG_CONFIGVALUES_H
