//===- ConfigValues.cpp - Reading the values of keys ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/config/ConfigValues.h"

#include "compiler/config/Ini.h"
#include "quantizer/options/GlobalMethod.h"
#include "support/FileName.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

using namespace yarrow::config;
using yarrow::GlobalMethod;

namespace {

std::string shown(std::string_view text) {
  return text.empty() ? "nothing" : "'" + std::string(text) + "'";
}

bool isNot(std::string_view text, const std::string &expected,
           std::string &problem) {
  problem = shown(text) + " is not " + expected;
  return false;
}

} // namespace

std::string yarrow::config::completePath(std::string_view text,
                                         const std::string &folder) {
  if (text.empty())
    return "";
  std::filesystem::path path(text), result;
  if (path.is_relative())
    result = folder;
  // Only "." goes: with links, "a/.." need not be where "a" is.
  for (const std::filesystem::path &part : path)
    if (part != "." && !part.empty())
      result /= part;
  return result.empty() ? "." : result.string();
}

namespace {

/// Splits at \p separator and trims; no part for the empty text.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  if (trim(text).empty())
    return parts;
  while (true) {
    std::size_t end = text.find(separator);
    parts.push_back(trim(text.substr(0, end)));
    if (end == std::string_view::npos)
      return parts;
    text.remove_prefix(end + 1);
  }
}

template <typename T> bool readNumber(std::string_view text, T &value) {
  if (text.starts_with('+'))
    text.remove_prefix(1);
  const char *end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, value);
  return !text.empty() && error == std::errc() && stop == end;
}

/// A file whose own name has a comma.
bool isOneFile(std::string_view text, const std::string &folder) {
  std::error_code unknown;
  return text.find(',') != text.npos &&
         std::filesystem::exists(completePath(text, folder), unknown);
}

} // namespace

bool yarrow::config::readValue(std::string_view text, const ValueKind &kind,
                               const std::string &folder, std::string &value,
                               std::string &problem) {
  bool isFile = kind.form == ValueKind::Machine && text.ends_with(".json");
  if (kind.form == ValueKind::Path || isFile) {
    value = completePath(text, folder);
    return true;
  }
  if (kind.form == ValueKind::PathList) {
    value.clear();
    if (isOneFile(text, folder)) {
      value = completePath(text, folder);
      return true;
    }
    for (std::string_view item : split(text, ','))
      if (!item.empty()) // A comma at the end does no harm.
        value += (value.empty() ? "" : ",") + completePath(item, folder);
    return true;
  }
  value = text;
  if (kind.form == ValueKind::Name && !text.empty())
    if (std::string_view why = whyNoFileName(text); !why.empty())
      return isNot(text, kind.str() + ": " + std::string(why), problem);
  if (kind.form != ValueKind::Choice)
    return true;
  std::string_view word =
      kind.allowsSuffix ? text.substr(0, text.find('_')) : text;
  for (std::string_view choice : split(kind.choices, '|')) {
    if (toLower(choice) != toLower(word))
      continue;
    value = choice;
    return true;
  }
  return isNot(text, kind.str(), problem);
}

bool yarrow::config::readValue(std::string_view text, const ValueKind &kind,
                               const std::string &folder,
                               std::vector<std::string> &value,
                               std::string &problem) {
  value.clear();
  for (std::string_view item : split(text, ','))
    if (!item.empty())
      value.push_back(kind.form == ValueKind::PathList
                          ? completePath(item, folder)
                          : std::string(item));
  return true;
}

bool yarrow::config::readValue(std::string_view text, const ValueKind &kind,
                               const std::string &folder,
                               std::vector<int> &value, std::string &problem) {
  value.clear();
  for (std::string_view item : split(text, ',')) {
    if (item.empty())
      continue;
    int number = 0;
    if (!readNumber(item, number) || number < 0)
      return isNot(item, "a layer_id", problem);
    value.push_back(number);
  }
  return true;
}

bool yarrow::config::readValue(std::string_view text, const ValueKind &kind,
                               const std::string &folder, bool &value,
                               std::string &problem) {
  std::string word = toLower(text);
  if (word != "true" && word != "false")
    return isNot(text, kind.str(), problem);
  value = word == "true";
  return true;
}

bool yarrow::config::readValue(std::string_view text, const ValueKind &kind,
                               const std::string &folder, int &value,
                               std::string &problem) {
  int number = 0;
  if (!readNumber(text, number) || number < kind.min || number > kind.max)
    return isNot(text, kind.str(), problem);
  value = number;
  return true;
}

bool yarrow::config::readValue(std::string_view text, const ValueKind &kind,
                               const std::string &folder,
                               std::optional<int> &value,
                               std::string &problem) {
  value.reset();
  if (text.empty())
    return true;
  return readValue(text, kind, folder, value.emplace(), problem);
}

bool yarrow::config::readValue(std::string_view text, const ValueKind &kind,
                               const std::string &folder, double &value,
                               std::string &problem) {
  double number = 0;
  // Written so that nan is refused too.
  if (!readNumber(text, number) || !(number >= kind.min && number <= kind.max))
    return isNot(text, kind.str(), problem);
  value = number;
  return true;
}

/// One of the kind's words, which are spelled in lower case; any other, such as
/// the default "", leaves \p value as it is.
template <typename Enum>
static bool readWord(std::string_view text, const ValueKind &kind,
                     std::initializer_list<std::pair<const char *, Enum>> words,
                     Enum &value, std::string &problem) {
  std::string word;
  if (!readValue(text, kind, "", word, problem))
    return false;
  for (const auto &[name, meaning] : words)
    if (word == name)
      value = meaning;
  return true;
}

bool yarrow::config::readValue(std::string_view text, const ValueKind &kind,
                               const std::string &, BuildMode &value,
                               std::string &problem) {
  return readWord(text, kind,
                  {{"build", BuildMode::Build}, {"run", BuildMode::Run}}, value,
                  problem);
}

bool yarrow::config::readValue(std::string_view text, const ValueKind &kind,
                               const std::string &, Tiling &value,
                               std::string &problem) {
  value = Tiling::Default;
  return readWord(text, kind,
                  {{"fps", Tiling::Fps}, {"footprint", Tiling::Footprint}},
                  value, problem);
}

bool yarrow::config::readValue(std::string_view text, const ValueKind &kind,
                               const std::string &, WinogradChoice &value,
                               std::string &problem) {
  return readWord(
      text, kind,
      {{"auto", WinogradChoice::Auto}, {"all", WinogradChoice::All}}, value,
      problem);
}

//===----------------------------------------------------------------------===//
// Quantization
//===----------------------------------------------------------------------===//

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
    for (std::string_view item : split(rest.substr(1, end - 1), ','))
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

bool yarrow::config::readValue(std::string_view text, const ValueKind &kind,
                               const std::string &, ShiftsMerge &value,
                               std::string &problem) {
  return readWord(text, kind,
                  {{"layer", ShiftsMerge::Layer},
                   {"channel", ShiftsMerge::Channel},
                   {"exact", ShiftsMerge::Exact}},
                  value, problem);
}

static constexpr std::string_view unionWords[] = {"max", "min", "avg", "out",
                                                  "skip"};

/// The parts of "[(a,b),(c,d)]", each without its brackets. Nullopt if \p text
/// is not of that form.
static std::optional<std::vector<std::string_view>>
bracketed(std::string_view text) {
  std::vector<std::string_view> parts;
  text = trim(text);
  if (text.starts_with('[') && text.ends_with(']'))
    text = trim(text.substr(1, text.size() - 2));
  while (!text.empty()) {
    std::size_t close = text.find(')');
    if (text.front() != '(' || close == std::string_view::npos)
      return std::nullopt;
    parts.push_back(text.substr(1, close - 1));
    text = trim(text.substr(close + 1));
    if (text.empty())
      break;
    if (text.front() != ',')
      return std::nullopt;
    text = trim(text.substr(1));
    if (text.empty())
      return std::nullopt;
  }
  return parts;
}

static bool readUnion(std::string_view text, ScaleUnion &value) {
  std::vector<std::string_view> items = split(text, ',');
  if (items.size() != 4 || items[0].empty() ||
      !readNumber(items[1], value.depth) || value.depth < 0 ||
      !readNumber(items[2], value.threshold) || !(value.threshold >= 1))
    return false;
  value.layerType = items[0];
  std::string word = toLower(items[3]);
  auto *found = std::ranges::find(unionWords, word);
  value.method =
      static_cast<ScaleUnion::Method>(found - std::begin(unionWords));
  return found != std::end(unionWords);
}

bool yarrow::config::readValue(std::string_view text, const ValueKind &kind,
                               const std::string &,
                               std::vector<ScaleUnion> &value,
                               std::string &problem) {
  value.clear();
  auto parts = bracketed(text);
  if (!parts)
    return isNot(text, kind.str(), problem);
  for (std::string_view part : *parts)
    if (!readUnion(part, value.emplace_back()))
      return isNot(part, kind.str(), problem);
  return true;
}

bool yarrow::config::readValue(std::string_view text, const ValueKind &kind,
                               const std::string &,
                               std::vector<LayerRange> &value,
                               std::string &problem) {
  value.clear();
  auto parts = bracketed(text);
  if (!parts)
    return isNot(text, kind.str(), problem);
  for (std::string_view part : *parts) {
    std::vector<std::string_view> items = split(part, ',');
    LayerRange &range = value.emplace_back();
    if (items.size() != 2 || !readNumber(items[0], range.first) ||
        !readNumber(items[1], range.last) || range.first < 0 ||
        range.first > range.last)
      return isNot(part, kind.str(), problem);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Values as text
//===----------------------------------------------------------------------===//

std::string yarrow::config::valueText(const std::string &value) {
  return value;
}

std::string yarrow::config::valueText(bool value) {
  return value ? "true" : "false";
}

std::string yarrow::config::valueText(int value) {
  return std::to_string(value);
}

std::string yarrow::config::valueText(const std::optional<int> &value) {
  return value ? std::to_string(*value) : "";
}

std::string yarrow::config::valueText(double value) {
  char digits[32];
  auto [end, error] = std::to_chars(digits, digits + sizeof(digits), value);
  return {digits, end};
}

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

std::string yarrow::config::valueText(ShiftsMerge value) {
  return value == ShiftsMerge::Layer     ? "layer"
         : value == ShiftsMerge::Channel ? "channel"
                                         : "exact";
}

std::string yarrow::config::valueText(const std::vector<ScaleUnion> &value) {
  std::string text;
  for (const ScaleUnion &one : value)
    text += (text.empty() ? "[(" : ",(") + one.layerType + "," +
            std::to_string(one.depth) + "," + valueText(one.threshold) + "," +
            std::string(unionWords[static_cast<int>(one.method)]) + ")";
  return text.empty() ? text : text + "]";
}

//===----------------------------------------------------------------------===//
// Methods and metrics
//===----------------------------------------------------------------------===//

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
  for (std::string_view item : split(text.substr(1, parametersEnd - 1), ','))
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
  for (std::string_view part : split(text, '&'))
    if (!readMethod(part, value.emplace_back(), problem))
      return false;
  return true;
}

bool yarrow::config::readValue(std::string_view text, const ValueKind &kind,
                               const std::string &folder,
                               PrecisionTarget &value, std::string &problem) {
  std::vector<std::string_view> parts = split(text, ',');
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
      for (std::string_view item : split(text.substr(1, close - 1), ','))
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
