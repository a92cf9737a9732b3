//===- SettingEdits.cpp - Settings of a configuration, changed ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/config/SettingEdits.h"
#include "compiler/config/ConfigKeys.h"
#include "support/Format.h"

#include <algorithm>

using namespace yarrow;

SettingStyle yarrow::styleOf(const config::BuildConfig &config) {
  if (config.fileName.empty())
    return SettingStyle::Option;
  return config.fileName == config.graph ? SettingStyle::SetOption
                                         : SettingStyle::File;
}

std::string yarrow::optionOf(std::string_view key) {
  std::string option(key);
  std::ranges::replace(option, '_', '-');
  return "--" + option;
}

std::string yarrow::settingText(SettingStyle style, const std::string &key,
                                const std::string &value) {
  if (style == SettingStyle::File)
    return key + " = " + value;
  if (style == SettingStyle::SetOption)
    return "--set " + key + "=" + shellWord(value);
  return optionOf(key) + " " + shellWord(value);
}

std::string yarrow::settingOf(const Settings &settings,
                              const std::string &key) {
  if (auto it = settings.find(key); it != settings.end())
    return it->second;
  return std::string(config::findConfigKey("Optimizer", key)->defaultText);
}

config::PerLayerText yarrow::partsOf(const Settings &settings,
                                     const std::string &key) {
  std::string text = settingOf(settings, key), problem;
  return config::parsePerLayer(text, problem)
      .value_or(config::PerLayerText{.global = text});
}

static std::string textOf(const config::PerLayerText &parts) {
  std::string text = parts.global;
  for (const config::PerLayerText::Rule &rule : parts.rules)
    text += (&rule == &parts.rules.front() ? " & " : " ") + rule.text;
  return text;
}

std::string yarrow::withGlobal(const Settings &settings, const std::string &key,
                               const std::string &value) {
  config::PerLayerText parts = partsOf(settings, key);
  parts.global = value;
  return textOf(parts);
}

std::string yarrow::withRule(const Settings &settings, const std::string &key,
                             const std::vector<int64_t> &ids,
                             const std::string &value) {
  std::string ranges;
  for (std::size_t first = 0, last; first < ids.size(); first = last + 1) {
    last = first;
    while (last + 1 < ids.size() && ids[last + 1] == ids[last] + 1)
      ++last;
    ranges += (first ? ",(" : "(") + std::to_string(ids[first]) + "," +
              std::to_string(ids[last]) + ")";
  }
  config::PerLayerText parts = partsOf(settings, key);
  // Among ranges of ids the first decides.
  parts.rules.insert(parts.rules.begin(),
                     {{}, value, "<[" + ranges + "]:" + value + ">"});
  return textOf(parts);
}
