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
YARROW_DECLARE_READ_VALUE(SoftmaxTuning)
YARROW_DECLARE_READ_VALUE(std::vector<GlobalCalibration>)
YARROW_DECLARE_READ_VALUE(std::vector<Metric>)
#undef YARROW_DECLARE_READ_VALUE

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
