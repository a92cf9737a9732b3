//===- ConfigKeys.cpp - The records of configuration keys -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Builds the table from ConfigKeys.def. The type of a member chooses how its
// values are read.
//
//===----------------------------------------------------------------------===//
#include "compiler/config/ConfigKeys.h"

#include "compiler/config/ConfigValues.h"
#include "compiler/config/Ini.h"
#include "quantizer/options/QuantTypes.h"
#include "support/diagnostics/Settings.h"

#include <cassert>
#include <cstdio>
#include <type_traits>

using namespace yarrow;
using namespace yarrow::config;

namespace {

// The kinds of ConfigKeys.def.
constexpr ValueKind text() { return {ValueKind::Text}; }
constexpr ValueKind name() { return {ValueKind::Name}; }
constexpr ValueKind path() { return {ValueKind::Path}; }
constexpr ValueKind pathList() { return {ValueKind::PathList}; }
constexpr ValueKind machine() { return {ValueKind::Machine}; }
constexpr ValueKind wordList() { return {ValueKind::WordList}; }
constexpr ValueKind intList() { return {ValueKind::IntList}; }
constexpr ValueKind boolean() { return {ValueKind::Bool}; }
constexpr ValueKind integer(double min, double max) {
  return {ValueKind::Integer, min, max};
}
constexpr ValueKind real(double min, double max) {
  return {ValueKind::Real, min, max};
}
constexpr ValueKind choice(std::string_view words) {
  return {ValueKind::Choice, 0, 0, words};
}
/// A machine's full name will do: X2_1204.
constexpr ValueKind architecture(std::string_view words) {
  ValueKind kind = choice(words);
  kind.allowsSuffix = true;
  return kind;
}
constexpr ValueKind metrics() { return {ValueKind::Metrics}; }
constexpr ValueKind global() { return {ValueKind::Global}; }
constexpr ValueKind thresholds() { return {ValueKind::Thresholds}; }
constexpr ValueKind precisionTarget() { return {ValueKind::PrecisionTarget}; }
constexpr ValueKind perLayer(ValueKind kind) {
  kind.isPerLayer = true;
  return kind;
}
constexpr ValueKind perBoolean() { return perLayer(boolean()); }
constexpr ValueKind perInteger(double min, double max) {
  return perLayer(integer(min, max));
}
constexpr ValueKind perReal(double min, double max) {
  return perLayer(real(min, max));
}
constexpr ValueKind perMethod() { return perLayer({ValueKind::Method}); }
constexpr ValueKind perStrategy() { return perLayer({ValueKind::Strategy}); }
constexpr ValueKind perSoftmax() { return perLayer({ValueKind::Softmax}); }
constexpr ValueKind perQuantType() { return perLayer(choice(kQuantTypeWords)); }
constexpr ValueKind perFloat() { return perLayer({ValueKind::Float}); }
constexpr ValueKind perTrim() { return perLayer({ValueKind::Trim}); }
constexpr ValueKind perChoice(std::string_view words) {
  return perLayer(choice(words));
}
constexpr ValueKind perUnifyScales() {
  return perLayer({ValueKind::UnifyScales});
}
constexpr ValueKind layerRanges() { return {ValueKind::LayerRanges}; }

template <auto Member>
bool readMember(std::string_view text, const ValueKind &kind,
                const std::string &folder, BuildConfig &config,
                std::string &problem) {
  return readValue(text, kind, folder, config.*Member, problem);
}

template <typename T> constexpr bool isPerLayer = false;
template <typename T> constexpr bool isPerLayer<PerLayer<T>> = true;
template <auto Member>
constexpr bool isMemberPerLayer =
    isPerLayer<std::remove_cvref_t<decltype(BuildConfig().*Member)>>;

template <auto Member>
std::vector<RuleView> rulesOf(const BuildConfig &config) {
  std::vector<RuleView> views;
  if constexpr (isMemberPerLayer<Member>)
    for (const auto &rule : (config.*Member).rules)
      views.push_back({&rule.where, rule.text});
  return views;
}

template <auto Member>
std::size_t ruleFor(const BuildConfig &config, const LayerKey &layer) {
  if constexpr (isMemberPerLayer<Member>)
    return (config.*Member).ruleFor(layer);
  return 0;
}

template <auto Member>
bool readFor(std::string_view layerName, std::string_view text,
             const ValueKind &kind, BuildConfig &config, std::string &problem) {
  if constexpr (isMemberPerLayer<Member>) {
    auto value = (config.*Member).global;
    if (!readValue(text, kind, "", value, problem))
      return false;
    (config.*Member).byName.insert_or_assign(std::string(layerName), value);
  }
  return true;
}

template <auto Member>
std::string textFor(const BuildConfig &config, const LayerKey &layer) {
  if constexpr (isMemberPerLayer<Member>)
    return valueText((config.*Member).get(layer));
  return "";
}

template <auto Member>
constexpr ConfigKey used(std::string_view section, std::string_view name,
                         ValueKind kind, std::string_view defaultText,
                         std::string_view doc) {
  ConfigKey key{section,     name, KeyEffect::Used,   kind,
                defaultText, doc,  readMember<Member>};
  if (isMemberPerLayer<Member>) {
    key.rules = rulesOf<Member>;
    key.ruleFor = ruleFor<Member>;
    key.readFor = readFor<Member>;
    key.textFor = textFor<Member>;
  }
  return key;
}

constexpr ConfigKey keys[] = {
#define USED(SECTION, KEY, KIND, DEFAULT, MEMBER, DOC)                         \
  used<&BuildConfig::MEMBER>(#SECTION, #KEY, KIND, DEFAULT, DOC),
#define KNOWN(SECTION, KEY, DEFAULT, DOC)                                      \
  {#SECTION, #KEY, KeyEffect::None, text(), DEFAULT, DOC, nullptr},
#define OWNED(SECTION, KEY, DEFAULT, DOC, OWNER)                               \
  {#SECTION, #KEY, KeyEffect::None, text(), DEFAULT, DOC, nullptr, OWNER},
#define MISSING(SECTION, KEY, DEFAULT, DOC, INSTEAD)                           \
  {#SECTION, #KEY, KeyEffect::Missed, text(), DEFAULT, DOC, nullptr, INSTEAD},
#define REFUSED(SECTION, KEY, DEFAULT, DOC, INSTEAD)                           \
  {#SECTION, #KEY, KeyEffect::Refused, text(), DEFAULT, DOC, nullptr, INSTEAD},
#include "compiler/config/ConfigKeys.def"
};

std::string numberText(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%g", value);
  return buffer;
}

} // namespace

std::string ValueKind::str() const {
  std::string range = " from " + numberText(min) + " to " + numberText(max);
  switch (form) {
  case Text:
    return "text";
  case Name:
    return "a name, of which file names are made";
  case Path:
    return "a path";
  case PathList:
    return "paths separated by commas";
  case Machine:
    return "a target";
  case WordList:
    return "words separated by commas";
  case IntList:
    return "integers separated by commas";
  case Bool:
    return "true or false";
  case Integer:
    return "an integer" + range;
  case Real:
    return "a number" + range;
  case Choice: {
    std::string words;
    for (char c : choices)
      words +=
          c == '|' ? std::string(words.empty() ? "" : ", ") : std::string(1, c);
    return "one of " + words;
  }
  case Metrics:
    return "metrics separated by commas";
  case Method:
    return "per_tensor, per_channel or per_block, followed by "
           "_symmetric_restricted_range, _symmetric_full_range or _asymmetric";
  case Strategy:
    return CalibrationStrategy::forms();
  case Float:
    return "disable, float16_preferred, bfloat16_preferred, "
           "float32_preferred or the like";
  case Softmax:
    return "[method,...] or [method,...][approximation,...] with method 0, 1 "
           "or 2";
  case Trim:
    return "clip(a,b) or second(a,b)";
  case UnifyScales:
    return "a list as in [(Concat,20,1.05,out)]: layer type, depth (0: any), "
           "threshold, and max, min, avg, out or skip";
  case LayerRanges:
    return "ranges of layer_ids as in [(0,3),(7,7)]";
  case Global:
    return "none, or methods chained by &";
  case Thresholds:
    return DecisionThresholds::forms();
  case PrecisionTarget:
    return "batches, a threshold and L or G, separated by commas";
  }
  return "";
}

std::span<const ConfigKey> yarrow::config::configKeys() { return keys; }

const ConfigKey *yarrow::config::findConfigKey(std::string_view section,
                                               std::string_view name) {
  for (const ConfigKey &key : keys)
    if (key.section == section && key.name == name)
      return &key;
  return nullptr;
}

std::vector<std::string>
yarrow::config::configKeyNames(std::string_view section) {
  std::vector<std::string> names;
  for (const ConfigKey &key : keys)
    if (key.section == section)
      names.emplace_back(key.name);
  return names;
}

bool yarrow::config::setConfigKey(std::string_view section,
                                  std::string_view name, std::string_view value,
                                  const std::string &folder,
                                  BuildConfig &config, DiagnosticEngine &diags,
                                  Place place) {
  const ConfigKey *key = findConfigKey(section, name);
  assert(key && key->hasEffect() && "a key without effect cannot be set");
  // As in the Optimizer, a key without a value asks for its default.
  if (value.empty())
    value = key->defaultText;
  std::string problem;
  if (key->read(value, key->kind, folder, config, problem)) {
    std::string full = std::string(section) + "." + std::string(name);
    config.places[full] = std::move(place);
    config.texts[full] = value;
    return true;
  }
  Diagnostic &diag =
      diags.report(diag::ConfigBadValue, std::move(place),
                   "the value of " + std::string(name) + ": " + problem);
  diag.found(std::string(value));
  if (value.find('\n') != std::string_view::npos)
    diag.hint("an indented line continues the value of the line before it");
  return false;
}

BuildConfig yarrow::config::defaultBuildConfig() {
  BuildConfig config;
  for (const ConfigKey &key : keys) {
    if (!key.hasEffect())
      continue;
    std::string problem;
    [[maybe_unused]] bool isRead =
        key.read(key.defaultText, key.kind, "", config, problem);
    assert(isRead && "the default of a record must be valid");
  }
  return config;
}

Place BuildConfig::place(std::string_view key) const {
  auto found = places.find(key);
  return found == places.end() ? Place{fileName} : found->second;
}
