//===- QuantizationValues.cpp - How numbers are quantized -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/config/ConfigValues.h"
#include "compiler/config/Ini.h"
#include "compiler/config/ValueParts.h"

using namespace yarrow::config;

static constexpr std::string_view granularityWords[] = {
    "per_tensor", "per_channel", "per_block"};
static constexpr std::string_view rangeWords[] = {
    "_symmetric_restricted_range", "_symmetric_full_range", "_asymmetric"};

std::string QuantizeMethod::str() const {
  return std::string(granularityWords[static_cast<int>(granularity)]) +
         std::string(rangeWords[static_cast<int>(range)]);
}

bool yarrow::config::readValue(std::string_view text, const ValueKind &kind,
                               const std::string &folder, QuantizeMethod &value,
                               std::string &problem) {
  std::string word = toLower(text);
  std::vector<std::string> words;
  for (int granularity = 0; granularity != 3; ++granularity)
    for (int range = 0; range != 3; ++range) {
      value = {static_cast<QuantizeMethod::Granularity>(granularity),
               static_cast<QuantizeMethod::Range>(range)};
      if (value.str() == word)
        return true;
      words.push_back(value.str());
    }
  isNot(text, kind.str(), problem);
  std::string near = nearestName(word, words);
  if (!near.empty())
    problem += "; " + didYouMean(near);
  return false;
}

bool yarrow::config::readValue(std::string_view text, const ValueKind &kind,
                               const std::string &folder,
                               CalibrationStrategy &value,
                               std::string &problem) {
  auto strategy = CalibrationStrategy::parse(text, problem);
  if (strategy) {
    value = *strategy;
    return true;
  }
  return !problem.empty() ? false : isNot(text, kind.str(), problem);
}

bool yarrow::config::readValue(std::string_view text, const ValueKind &kind,
                               const std::string &folder, FloatTrigger &value,
                               std::string &problem) {
  static constexpr std::string_view words[] = {"disable",
                                               "float16_preferred",
                                               "bfloat16_preferred",
                                               "float32_preferred",
                                               "float16_act_int_wht",
                                               "bfloat16_act_int_wht",
                                               "float32_act_int_wht",
                                               "float16_act_fp8e4m3fn_wht",
                                               "float16_act_fp4e2m1fn_wht",
                                               "bfloat16_act_fp8e4m3fn_wht",
                                               "bfloat16_act_fp4e2m1fn_wht",
                                               "float32_act_fp8e4m3fn_wht",
                                               "float32_act_fp4e2m1fn_wht"};
  std::string word = toLower(text);
  value.isForced = word.ends_with('!');
  if (value.isForced)
    word.pop_back();
  for (std::string_view candidate : words)
    if (candidate == word) {
      value.type = word;
      return true;
    }
  isNot(text, kind.str(), problem);
  std::string near = nearestName(word, {std::begin(words), std::end(words)});
  if (!near.empty())
    problem += "; " + didYouMean(near);
  return false;
}

bool yarrow::config::readValue(std::string_view text, const ValueKind &kind,
                               const std::string &folder, SoftmaxTuning &value,
                               std::string &problem) {
  value = {};
  std::vector<std::vector<double>> lists;
  std::string_view rest = trim(text);
  while (rest.starts_with('[')) {
    std::size_t end = rest.find(']');
    if (end == std::string_view::npos)
      break;
    std::vector<double> &list = lists.emplace_back();
    for (std::string_view item : splitAt(rest.substr(1, end - 1), ','))
      if (!readNumber(item, list.emplace_back()))
        return isNot(item, "a number", problem);
    rest = trim(rest.substr(end + 1));
  }
  if (!rest.empty() || lists.empty() || lists.size() > 2)
    return isNot(text, kind.str(), problem);
  for (const std::vector<double> &list : lists)
    if (list.empty() || (list[0] != 0 && list[0] != 1 && list[0] != 2))
      return isNot(text, kind.str(), problem);
  value.method = static_cast<SoftmaxTuning::Method>(lists[0][0]);
  value.parameters.assign(lists[0].begin() + 1, lists[0].end());
  if (lists.size() == 2)
    value.approxMethod = static_cast<int>(lists[1][0]);
  return true;
}

bool yarrow::config::readValue(std::string_view text, const ValueKind &,
                               const std::string &, ValueTrim &value,
                               std::string &problem) {
  auto trim = ValueTrim::parse(text, problem);
  if (trim)
    value = *trim;
  return trim.has_value();
}

//===----------------------------------------------------------------------===//
// As text
//===----------------------------------------------------------------------===//

std::string yarrow::config::valueText(const QuantizeMethod &value) {
  return value.str();
}

std::string yarrow::config::valueText(const CalibrationStrategy &value) {
  return value.str();
}

std::string yarrow::config::valueText(const FloatTrigger &value) {
  return value.type + (value.isForced ? "!" : "");
}

std::string yarrow::config::valueText(const SoftmaxTuning &value) {
  std::string text = "[" + std::to_string(static_cast<int>(value.method));
  for (double parameter : value.parameters)
    text += "," + valueText(parameter);
  return text + "][" + std::to_string(value.approxMethod) + "]";
}

std::string yarrow::config::valueText(const ValueTrim &value) {
  return value.str();
}
