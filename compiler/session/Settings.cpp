//===- Settings.cpp - How a call quantizes and compiles -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/session/Settings.h"
#include "compiler/config/ConfigValues.h"
#include "compiler/config/Recipes.h"
#include "compiler/forms/FormDecision.h"
#include "compiler/model/Models.h"
#include "compiler/quantize/WinogradKeys.h"
#include "compiler/session/DisabledPasses.h"
#include "compiler/work/NewFolders.h"
#include "compiler/work/Preflight.h"
#include "support/diagnostics/Settings.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <nlohmann/json.hpp>

#include <charconv>
#include <filesystem>

using namespace yarrow;
using session::CompileSettings;
using session::QuantizeSettings;
using Json = nlohmann::ordered_json;

static bool usage(std::string message, std::string hint,
                  DiagnosticEngine &diags) {
  diags.report(diag::UsageInvalid, {}, std::move(message))
      .hint(std::move(hint));
  return false;
}

static bool isWord(const std::string &what, const std::string &word,
                   const std::vector<std::string> &words,
                   DiagnosticEngine &diags) {
  if (llvm::is_contained(words, word))
    return true;
  std::string near = nearestName(word, words);
  return usage(what + " cannot be " + word + ": it is one of " +
                   llvm::join(words, ", "),
               near.empty() ? "" : didYouMean("'" + near + "'"), diags);
}

static bool isFormUse(const std::string &word, DiagnosticEngine &diags) {
  return isWord("winograd", word, {std::begin(kFormUses), std::end(kFormUses)},
                diags);
}

static bool isKnown(const char *step, const std::string &key,
                    const std::vector<std::string> &known,
                    DiagnosticEngine &diags) {
  if (llvm::is_contained(known, key))
    return true;
  std::string near = nearestName(key, known);
  return usage(std::string(step) + " has no setting " + key,
               near.empty() ? "docs/configuration.md lists the keys"
                            : didYouMean("'" + near + "'"),
               diags);
}

bool session::setQuantize(const std::string &key, const std::string &value,
                          QuantizeSettings &settings, DiagnosticEngine &diags) {
  if (key == "recipe")
    settings.recipe = value;
  else if (key == "winograd")
    settings.winograd = value;
  else if (key == "target")
    settings.target = value;
  else if (isKnown("quantize", key, config::quantizationKeyNames(), diags))
    settings.keys[key] = value;
  else
    return false;
  return true;
}

/// The value of a key of [GBuilder].
template <typename T>
static bool readKey(const char *key, const std::string &value,
                    T config::BuildConfig::*member, T &to,
                    DiagnosticEngine &diags) {
  config::BuildConfig config = config::defaultBuildConfig();
  if (!config::setConfigKey("GBuilder", key, value, "", config, diags, {key}))
    return false;
  to = config.*member;
  return true;
}

bool session::setCompile(const std::string &key, const std::string &value,
                         CompileSettings &settings, DiagnosticEngine &diags) {
  using config::BuildConfig;
  if (key == "profile")
    return readKey("profile", value, &BuildConfig::profile, settings.hasProfile,
                   diags);
  if (key == "disable_pass")
    return readKey("disable_pass", value, &BuildConfig::disabledPasses,
                   settings.disabledPasses, diags);
  if (key == "optimize") {
    std::string problem;
    return config::readValue(value, {config::ValueKind::Bool}, "",
                             settings.optimize, problem) ||
           usage("optimize: " + problem, "", diags);
  }
  if (key == "batch") {
    const char *end = value.data() + value.size();
    auto [last, error] = std::from_chars(value.data(), end, settings.batch);
    return (error == std::errc() && last == end) ||
           usage("batch must be a number, not " + value, "", diags);
  }
  std::pair<const char *, std::string *> texts[] = {
      {"target", &settings.target},
      {"winograd", &settings.winograd},
      {"tiling", &settings.tiling},
      {"cache", &settings.cache}};
  std::vector<std::string> known = {"profile", "disable_pass", "optimize",
                                    "batch"};
  for (const auto &[name, text] : texts) {
    known.emplace_back(name);
    if (key != name)
      continue;
    *text = value;
    return true;
  }
  return isKnown("compile", key, known, diags);
}

/// As a configuration has it.
static std::string settingText(const Json &value) {
  if (value.is_string())
    return value.get<std::string>();
  if (value.is_boolean())
    return value.get<bool>() ? "True" : "False";
  return value.dump();
}

std::optional<config::KeyTexts> session::keysOfJson(const std::string &text,
                                                    DiagnosticEngine &diags) {
  Json all = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!all.is_object()) {
    usage("the settings are not a JSON object",
          R"({"weight_bits": 4, "winograd": "auto"})", diags);
    return std::nullopt;
  }
  config::KeyTexts keys;
  for (const auto &[key, value] : all.items())
    if (!value.is_null())
      keys[key] = settingText(value);
  return keys;
}

std::optional<config::BuildConfig>
session::configOf(const QuantizeSettings &settings, DiagnosticEngine &diags) {
  std::size_t before = diags.numErrors();
  std::vector<std::string> recipes;
  for (const config::Recipe &recipe : config::recipes())
    recipes.emplace_back(recipe.name);
  if ((!settings.recipe.empty() &&
       !isWord("recipe", settings.recipe, recipes, diags)) ||
      (!settings.winograd.empty() && !isFormUse(settings.winograd, diags)))
    return std::nullopt;
  std::vector<std::string> known = config::quantizationKeyNames();
  for (const auto &[key, value] : settings.keys)
    if (!isKnown("quantize", key, known, diags))
      return std::nullopt;
  config::BuildConfig config = config::defaultBuildConfig();
  config.recipe = settings.recipe;
  if (!config::applyQuantization(settings.keys, config, diags))
    return std::nullopt;
  config.target = settings.target;
  config.places["GBuilder.target"] = {"target"};
  if (!config.target.empty())
    (void)targetAt(config.target, config.place("GBuilder.target"), diags);
  applyWinogradFlag(settings.winograd, config, diags);
  return diags.numErrors() == before ? std::optional(config) : std::nullopt;
}

std::optional<CompileOptions>
session::optionsOf(const CompileSettings &settings, DiagnosticEngine &diags) {
  constexpr uint32_t kMostSamples = 64;
  if (!isFormUse(settings.winograd, diags) ||
      !isWord("tiling", settings.tiling, {"fps", "footprint"}, diags))
    return std::nullopt;
  if (settings.batch < 1 || settings.batch > kMostSamples) {
    usage("batch must be from 1 to " + std::to_string(kMostSamples) + ", not " +
              std::to_string(settings.batch),
          "", diags);
    return std::nullopt;
  }
  auto disabled =
      disabledPasses(settings.disabledPasses, {"disabled_passes"}, diags);
  // One that is there may be for reading alone.
  std::error_code error;
  bool hasCache = std::filesystem::is_directory(settings.cache, error) ||
                  makeFolder(settings.cache, diags);
  if (!disabled || !hasCache)
    return std::nullopt;
  CompileOptions options;
  options.optimize = settings.optimize;
  options.disabled = *disabled;
  options.isFootprintWanted = settings.tiling == "footprint";
  options.cache = settings.cache;
  options.samples = settings.batch;
  options.hasProfile = settings.hasProfile;
  options.instruments = settings.instruments;
  return options;
}
