//===- Options.cpp - What a session says of its provider ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/onnxruntime/Options.h"
#include "api/onnxruntime/Ort.h"
#include "compiler/config/Recipes.h"
#include "compiler/work/Preflight.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <functional>

using namespace yarrow;
using namespace yarrow::ort;

namespace {

Failure badValue(const std::string &key, const std::string &value,
                 const std::string &expected) {
  return Failure("the option " + key + " of the Yarrow provider is \"" + value +
                     "\", and must be " + expected,
                 kInvalidArgument);
}

std::uint64_t number(const std::string &key, const std::string &value) {
  std::uint64_t n = 0;
  auto [end, error] =
      std::from_chars(value.data(), value.data() + value.size(), n);
  if (error != std::errc() || end != value.data() + value.size())
    throw badValue(key, value, "a whole number");
  return n;
}

bool flag(const std::string &key, const std::string &value) {
  for (const char *on : {"1", "true", "on", "True"})
    if (value == on)
      return true;
  for (const char *off : {"0", "false", "off", "False"})
    if (value == off)
      return false;
  throw badValue(key, value, "0 or 1");
}

void setTarget(const std::string &, const std::string &value, Options &to) {
  DiagnosticEngine diags;
  if (!targetAt(value, {"target"}, diags))
    throw failureOf(diags, "the Yarrow provider cannot use the target");
  to.part.compile.target = to.part.quantize.target = value;
}

void setQuantize(const std::string &key, const std::string &value,
                 Options &to) {
  if (value == "off")
    to.part.quantize.recipe.clear();
  else if (std::ranges::any_of(config::recipes(), [&](const config::Recipe &r) {
             return r.name == value;
           }))
    to.part.quantize.recipe = value;
  else
    throw badValue(key, value, "off, auto or compass");
}

struct OptionEntry {
  const char *key;
  void (*set)(const std::string &key, const std::string &value, Options &to);
};

constexpr OptionEntry kOptions[] = {
    {"target", setTarget},
    {"quantize", setQuantize},
    {"calibration",
     [](const std::string &key, const std::string &value, Options &to) {
       if (!std::filesystem::exists(value))
         throw badValue(key, value, "a file or a folder that exists");
       to.calibration = value;
     }},
    {"cache",
     [](const std::string &key, const std::string &value, Options &to) {
       if (!std::filesystem::is_directory(value))
         throw badValue(key, value, "a folder that exists");
       to.part.compile.cache = value;
     }},
    {"winograd",
     [](const std::string &, const std::string &value, Options &to) {
       DiagnosticEngine diags;
       if (!session::setCompile("winograd", value, to.part.compile, diags))
         throw failureOf(diags, "the option winograd of the Yarrow provider");
     }},
    {"timed", [](const std::string &key, const std::string &value,
                 Options &to) { to.isTimed = flag(key, value); }},
    {"budget", [](const std::string &key, const std::string &value,
                  Options &to) { to.budget = number(key, value); }},
    {"report", [](const std::string &, const std::string &value,
                  Options &to) { to.report = value; }},
    {"min_nodes", [](const std::string &key, const std::string &value,
                     Options &to) { to.worth.minNodes = number(key, value); }},
    {"min_macs", [](const std::string &key, const std::string &value,
                    Options &to) { to.worth.minMacs = number(key, value); }},
    {"max_shapes", [](const std::string &key, const std::string &value,
                      Options &to) { to.maxShapes = number(key, value); }},
};

void take(const std::string &key, const std::string &value, Options &to) {
  std::vector<std::string> known;
  for (const OptionEntry &entry : kOptions) {
    if (key == entry.key)
      return entry.set(key, value, to);
    known.push_back(entry.key);
  }
  std::string all;
  for (const std::string &each : known)
    all += (all.empty() ? "" : ", ") + each;
  std::string near = nearestName(key, known);
  throw Failure("the Yarrow provider has no option " + key +
                    (near.empty() ? "" : "; " + didYouMean(near)) +
                    "; its options are " + all,
                kInvalidArgument);
}

} // namespace

Options yarrow::ort::readOptions(const SessionOptions *session) {
  Options options;
  // ONNX Runtime puts options of a provider behind its name in lower case.
  std::string prefix = "ep." + std::string(kProviderName) + ".";
  std::ranges::transform(prefix, prefix.begin(),
                         [](char c) { return char(std::tolower(c)); });
  KeyValues *entries = nullptr;
  check(ortApi().getSessionOptionsConfigEntries(session, &entries));
  std::unique_ptr<KeyValues, void (*)(KeyValues *)> owned(
      entries, ortApi().releaseKeyValuePairs);
  const char *const *keys = nullptr, *const *values = nullptr;
  std::size_t count = 0;
  ortApi().getKeyValuePairs(entries, &keys, &values, &count);
  for (std::size_t i = 0; i < count; ++i) {
    std::string key = keys[i], value = values[i];
    if (key.starts_with(prefix))
      take(key.substr(prefix.size()), value, options);
    else if (key == "ep.context_enable")
      options.makesContext = value == "1";
    else if (key == "ep.context_embed_mode")
      options.embedsContext = value == "1";
    else if (key == "ep.context_file_path")
      options.contextPath = value;
  }
  if (!options.part.quantize.recipe.empty() && options.calibration.empty())
    throw Failure("the option quantize of the Yarrow provider needs the option "
                  "calibration: a file or a folder of samples",
                  kInvalidArgument);
  if (options.part.quantize.recipe.empty())
    options.calibration.clear();
  // A report without cycles says little.
  options.isTimed |= !options.report.empty();
  return options;
}

std::map<std::string, std::string>
yarrow::ort::samplesFor(const std::vector<std::string> &inputs,
                        const std::string &given) {
  std::map<std::string, std::string> samples;
  if (given.empty())
    return samples;
  if (!std::filesystem::is_directory(given)) {
    if (inputs.size() != 1)
      throw Failure("the option calibration of the Yarrow provider is a file, "
                    "and the model has " +
                        std::to_string(inputs.size()) +
                        " inputs; give a folder with NAME.npy for each of them",
                    kInvalidArgument);
    samples.emplace(inputs.front(), given);
    return samples;
  }
  for (const std::string &input : inputs) {
    std::string name = input;
    // As files can be called.
    std::ranges::replace(name, '/', '_');
    std::string path = given + "/" + name + ".npy";
    if (std::filesystem::exists(path))
      samples.emplace(input, path);
  }
  if (samples.empty())
    throw Failure(
        "the folder " + given +
            " of the option calibration of the Yarrow provider has no "
            "file for an input; expected " +
            (inputs.empty() ? "NAME" : inputs.front()) + ".npy",
        kInvalidArgument);
  return samples;
}
