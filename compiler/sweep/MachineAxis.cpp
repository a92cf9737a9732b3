//===- MachineAxis.cpp - What a sweep varies of a machine -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/sweep/MachineAxis.h"
#include "support/diagnostics/Settings.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

using namespace yarrow;
using Json = nlohmann::ordered_json;

/// More would take hours, and no table shows them.
static constexpr std::size_t kMostMachines = 4096;

/// "256K", "8M", "24"; nullopt if it is no number above 0.
static std::optional<uint64_t> numberOf(std::string_view text) {
  uint64_t factor = 1;
  if (text.ends_with('K') || text.ends_with('M')) {
    factor = text.back() == 'K' ? 1024 : 1024 * 1024;
    text.remove_suffix(1);
  }
  uint32_t value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value == 0)
    return std::nullopt;
  return value * factor;
}

static std::vector<std::string_view> split(std::string_view text,
                                           char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t at; (at = text.find(separator)) != text.npos;
       text.remove_prefix(at + 1))
    parts.push_back(text.substr(0, at));
  parts.push_back(text);
  return parts;
}

/// "256K:8M:x2" or "2:8:+2"; none if it is no range.
static std::vector<uint64_t> valuesOfRange(std::string_view text) {
  std::vector<std::string_view> parts = split(text, ':');
  if (parts.size() != 3 || parts[2].size() < 2)
    return {};
  auto first = numberOf(parts[0]), last = numberOf(parts[1]),
       step = numberOf(parts[2].substr(1));
  bool isFactor = parts[2][0] == 'x';
  if (!first || !last || !step || *first > *last ||
      !(isFactor ? *step > 1 : parts[2][0] == '+'))
    return {};
  std::vector<uint64_t> values;
  for (uint64_t value = *first;
       value <= *last && values.size() <= kMostMachines;
       value = isFactor ? value * *step : value + *step)
    values.push_back(value);
  return values;
}

static std::vector<uint64_t> listOf(std::string_view text) {
  std::vector<uint64_t> values;
  for (std::string_view part : split(text, ',')) {
    std::optional<uint64_t> value = numberOf(part);
    if (!value || (!values.empty() && *value <= values.back()))
      return {};
    values.push_back(*value);
  }
  return values;
}

/// "/macArray/pixels" of "macArray.pixels".
static Json::json_pointer pointerOf(std::string key) {
  std::replace(key.begin(), key.end(), '.', '/');
  return Json::json_pointer("/" + key);
}

/// Keys of numbers, with those of objects behind the object's own and a dot.
static void collectKeys(const Json &object, const std::string &prefix,
                        std::vector<std::string> &keys) {
  for (const auto &[key, value] : object.items())
    if (value.is_object())
      collectKeys(value, prefix + key + ".", keys);
    else if (value.is_number_unsigned())
      keys.push_back(prefix + key);
}

std::optional<MachineAxis>
yarrow::parseMachineAxis(const std::string &text, const isa::Machine &base,
                         yarrow::DiagnosticEngine &diags) {
  std::size_t equals = text.find('=');
  MachineAxis axis{text.substr(0, equals), {}};
  std::vector<std::string> keys;
  collectKeys(Json::parse(base.toJson()), "", keys);
  // What device it says it is changes nothing.
  std::erase_if(keys,
                [](const auto &key) { return key.starts_with("device."); });
  if (std::find(keys.begin(), keys.end(), axis.key) == keys.end()) {
    yarrow::Diagnostic &d =
        diags
            .report(diag::TargetInvalid, {"--vary"},
                    "the machine has no number of this name")
            .found(axis.key);
    if (!d.suggest(axis.key, keys))
      d.hint("`yarrow targets " + base.name + "` prints them");
    return std::nullopt;
  }
  if (equals != text.npos) {
    std::string_view values = std::string_view(text).substr(equals + 1);
    axis.values = values.find(':') == values.npos ? listOf(values)
                                                  : valuesOfRange(values);
  }
  if (!axis.values.empty())
    return axis;
  diags
      .report(diag::TargetInvalid, {"--vary"},
              "no numbers are given for " + axis.key)
      .found(text)
      .expected("ascending KEY=A,B,C, FIRST:LAST:xFACTOR or FIRST:LAST:+STEP, "
                "such as sramBytes=256K:8M:x2");
  return std::nullopt;
}

std::optional<std::vector<isa::Machine>>
yarrow::machinesOf(const isa::Machine &base,
                   const std::vector<MachineAxis> &axes,
                   yarrow::DiagnosticEngine &diags) {
  std::size_t count = 1;
  for (const MachineAxis &axis : axes)
    count = std::min(count * axis.values.size(), kMostMachines + 1);
  if (count > kMostMachines) {
    diags
        .report(diag::TargetInvalid, {"--vary"},
                "too many combinations for a sweep")
        .expected("at most " + std::to_string(kMostMachines));
    return std::nullopt;
  }
  Json description = Json::parse(base.toJson());
  std::vector<isa::Machine> machines;
  for (std::size_t i = 0; i < count; ++i) {
    Json changed = description;
    std::size_t rest = i;
    for (const MachineAxis &axis : llvm::reverse(axes)) {
      changed[pointerOf(axis.key)] = axis.values[rest % axis.values.size()];
      rest /= axis.values.size();
    }
    auto machine = isa::parseMachine(changed.dump(), "--vary", diags);
    if (!machine)
      return std::nullopt;
    machines.push_back(std::move(*machine));
  }
  return machines;
}

std::string yarrow::shortNumber(uint64_t value) {
  for (auto [factor, suffix] : {std::pair(1024 * 1024, "M"), {1024, "K"}})
    if (value >= 4096 && value % uint64_t(factor) == 0)
      return std::to_string(value / uint64_t(factor)) + suffix;
  return std::to_string(value);
}
