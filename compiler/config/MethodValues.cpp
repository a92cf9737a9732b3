//===- MethodValues.cpp - Methods, metrics, goals -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/config/ConfigValues.h"
#include "compiler/config/Ini.h"
#include "compiler/config/ValueParts.h"
#include "quantizer/options/GlobalMethod.h"

#include <algorithm>

using namespace yarrow::config;
using yarrow::GlobalMethod;

/// Reads one "method[1,2][where]".
static bool readMethod(std::string_view text, GlobalCalibration &value,
                       std::string &problem) {
  std::size_t nameEnd = text.find_first_of("[{");
  value.method = toLower(trim(text.substr(0, nameEnd)));
  const GlobalMethod::Record *record = GlobalMethod::find(value.method);
  if (!record)
    return isNot(value.method,
                 "a method of global calibration (" + GlobalMethod::names() +
                     ")",
                 problem);
  if (nameEnd == std::string_view::npos)
    return true;
  text.remove_prefix(nameEnd);
  std::size_t parametersEnd = text.find(']');
  if (text.front() != '[' || parametersEnd == std::string_view::npos)
    return isNot(text, "a list of parameters in brackets", problem);
  for (std::string_view item : splitAt(text.substr(1, parametersEnd - 1), ','))
    if (!readNumber(item, value.parameters.emplace_back()))
      return isNot(item, "a number", problem);
  if (!GlobalMethod::create(value.method, value.parameters))
    return isNot(text.substr(0, parametersEnd + 1),
                 "a list of at most " +
                     std::to_string(record->listParameters().size()) +
                     " parameters (" + std::string(record->parameters) + ")",
                 problem);
  text = trim(text.substr(parametersEnd + 1));
  if (text.empty())
    return true;
  value.where = parseSelector(text, problem);
  return value.where.has_value();
}

bool yarrow::config::readValue(std::string_view text, const ValueKind &kind,
                               const std::string &folder,
                               std::vector<GlobalCalibration> &value,
                               std::string &problem) {
  value.clear();
  if (text.empty() || toLower(text) == "none")
    return true;
  for (std::string_view part : splitAt(text, '&'))
    if (!readMethod(part, value.emplace_back(), problem))
      return false;
  return true;
}

bool yarrow::config::readValue(std::string_view text, const ValueKind &kind,
                               const std::string &folder,
                               PrecisionTarget &value, std::string &problem) {
  std::vector<std::string_view> parts = splitAt(text, ',');
  value = {};
  if (parts.size() != 3 || !readNumber(parts[0], value.batches) ||
      value.batches < 0 || !readNumber(parts[1], value.threshold) ||
      (toLower(parts[2]) != "l" && toLower(parts[2]) != "g"))
    return isNot(text, kind.str(), problem);
  value.isFallAtMost = toLower(parts[2]) == "l";
  return true;
}

bool yarrow::config::readValue(std::string_view text, const ValueKind &kind,
                               const std::string &folder,
                               DecisionThresholds &value,
                               std::string &problem) {
  auto thresholds = DecisionThresholds::parse(text);
  if (!thresholds)
    return isNot(text, kind.str(), problem);
  value = std::move(*thresholds);
  return true;
}

bool yarrow::config::readValue(std::string_view text, const ValueKind &kind,
                               const std::string &folder,
                               std::vector<Metric> &value,
                               std::string &problem) {
  value.clear();
  while (!(text = trim(text)).empty()) {
    std::size_t end = text.find_first_of(",(");
    Metric &metric = value.emplace_back();
    metric.name = trim(text.substr(0, end));
    if (metric.name.empty())
      return isNot(text, "a list of metrics as in TopKMetric(5)", problem);
    bool hasArguments = end != std::string_view::npos && text[end] == '(';
    text.remove_prefix(std::min(end, text.size()));
    if (hasArguments) {
      std::size_t close = text.find(')');
      if (close == std::string_view::npos)
        return isNot(text, "a list of arguments that ends with ')'", problem);
      for (std::string_view item : splitAt(text.substr(1, close - 1), ','))
        metric.arguments.emplace_back(item);
      text = trim(text.substr(close + 1));
    }
    if (!text.empty() && text.front() != ',')
      return isNot(text, "a comma between metrics", problem);
    if (!text.empty())
      text.remove_prefix(1);
  }
  return true;
}
