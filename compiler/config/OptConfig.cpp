//===- OptConfig.cpp - Settings by layer in JSON --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/config/OptConfig.h"

#include "support/JsonFile.h"
#include "support/JsonPlaces.h"
#include "support/MappedFile.h"
#include "support/diagnostics/Quantizer.h"
#include "support/diagnostics/Settings.h"

#include <algorithm>
#include <filesystem>

using namespace yarrow;
using namespace yarrow::config;
using nlohmann::json;

std::span<const LayerAttribute> yarrow::config::layerAttributes() {
  static const LayerAttribute attributes[] = {
#define SETTING(NAME, KEY) {#NAME, findConfigKey("Optimizer", #KEY)},
#define LAYER(NAME, KEY, TYPE) {#NAME, findConfigKey("Optimizer", #KEY), TYPE},
#define SAME(NAME, OTHER) {#NAME, nullptr, {}, #OTHER},
#define FIXED(NAME, VALUE) {#NAME, nullptr, {}, {}, VALUE},
#include "compiler/config/LayerAttributes.def"
  };
  return attributes;
}

namespace {

/// What the Compass Optimizer writes for readers, not for itself.
constexpr std::string_view kForDisplay = "just_for_display";
/// The Compass Optimizer's two halves of enable_pass_tune_op_softmax.
constexpr std::string_view kExtra = "extra_params", kApprox = "approx_params";

/// As a line of a configuration has it; "" for what is no single value.
std::string textOf(const json &value) {
  if (value.is_string())
    return value.get<std::string>();
  return value.is_number() || value.is_boolean() ? value.dump() : "";
}

/// A conversion that the Compass Optimizer has inserted, as its template shows.
bool isInserted(const json &attributes) {
  auto display = attributes.find(std::string(kForDisplay));
  if (display == attributes.end() || !display->is_object())
    return false;
  std::string brief = textOf(display->value("brief_info", json()));
  for (const char *type :
       {"OpType.Cast,", "OpType.Quantize,", "OpType.DeQuantize,"})
    if (brief.find(type) != std::string::npos)
      return true;
  return false;
}

const LayerAttribute *findAttribute(std::string_view name) {
  auto all = layerAttributes();
  auto found = std::ranges::find(all, name, &LayerAttribute::name);
  return found == all.end() ? nullptr : &*found;
}

class OptConfigReader {
public:
  OptConfigReader(BuildConfig &config, const std::string &path,
                  std::string_view text, DiagnosticEngine &diags)
      : config(config), path(path), places(text, path), diags(diags) {}

  bool read(const json &layers) {
    if (!layers.is_object())
      return fail({path}, "the file is not an object of layers",
                  "{\"layer name\": {\"q_bits_weight\": 8}}");
    for (const auto &[name, attributes] : layers.items()) {
      Place place = places.of({name});
      if (!attributes.is_object()) {
        fail(place, "the layer " + name + " is not an object of attributes",
             "{\"q_bits_weight\": 8}");
        continue;
      }
      // What the Compass Optimizer has put between layers is in no float IR.
      if (isInserted(attributes))
        continue;
      config.optLayers.push_back({name, place, {}});
      readLayer(name, attributes);
    }
    return ok;
  }

private:
  bool fail(Place place, std::string message, std::string expected) {
    ok = false;
    diags.report(diag::ConfigBadValue, std::move(place), std::move(message))
        .expected(std::move(expected));
    return false;
  }

  void readLayer(const std::string &name, const json &attributes) {
    for (const auto &[attribute, value] : attributes.items()) {
      if (attribute == kForDisplay || attribute == kExtra ||
          attribute == kApprox)
        continue;
      Place place = places.of({name, attribute});
      const LayerAttribute *known = findAttribute(attribute);
      if (!known) {
        unknown(attribute, std::move(place));
        continue;
      }
      if (known->layerType.size())
        config.optLayers.back().attributes.emplace_back(known, place);
      std::string text = textOf(value);
      if (text.empty() && !(value.is_string() && known->key))
        fail(std::move(place),
             "the value of " + attribute + " is not a single value",
             "a number, true or false, or text");
      else
        readAttribute(*known, name, attributes, text, std::move(place));
    }
    readSoftmax(name, attributes);
  }

  void readAttribute(const LayerAttribute &known, const std::string &layer,
                     const json &attributes, const std::string &text,
                     Place place) {
    std::string attribute(known.name);
    if (known.key) {
      set(*known.key, attribute, layer, text, std::move(place));
    } else if (!known.sameAs.empty()) {
      auto other = attributes.find(std::string(known.sameAs));
      if (other != attributes.end() && textOf(*other) != text)
        fail(std::move(place),
             attribute + " differs from " + std::string(known.sameAs),
             textOf(*other));
    } else if (text != known.fixed) {
      fail(std::move(place), "the value of " + attribute,
           std::string(known.fixed));
    }
  }

  void set(const ConfigKey &key, const std::string &attribute,
           const std::string &layer, std::string_view text, Place place) {
    if (text.empty())
      text = key.defaultText;
    std::string problem;
    if (key.readFor(layer, text, key.kind, config, problem))
      return;
    ok = false;
    diags
        .report(diag::ConfigBadValue, std::move(place),
                "the value of " + attribute + ": " + problem)
        .found(std::string(text));
  }

  /// "[method,parameters...]" and "[approximation]".
  void readSoftmax(const std::string &layer, const json &attributes) {
    auto text = [&](std::string_view name) -> std::string {
      auto found = attributes.find(std::string(name));
      if (found == attributes.end())
        return "";
      return found->is_string() ? found->get<std::string>() : found->dump();
    };
    std::string extra = text(kExtra), approx = text(kApprox);
    // Zeros, in as many brackets as an operator has tables, are the default.
    if ((extra + approx).find_first_of("123456789") == std::string::npos)
      return;
    std::string_view given = extra.empty() ? kApprox : kExtra;
    Place place = places.of({layer, std::string(given)});
    config.optLayers.back().softmaxPlace = place;
    set(*findConfigKey("Optimizer", "enable_pass_tune_op_softmax"),
        std::string(given), layer,
        (extra.empty() ? "[0]" : extra) + (approx.empty() ? "[0]" : approx),
        std::move(place));
  }

  void unknown(const std::string &attribute, Place place) {
    ok = false;
    std::vector<std::string> names;
    for (const LayerAttribute &a : layerAttributes())
      names.emplace_back(a.name);
    Diagnostic &diag = diags.report(diag::ConfigUnknownKey, std::move(place),
                                    "layers have no attribute " + attribute);
    if (diag.suggest(attribute, names))
      return;
    // The key's own name is a near miss too: weight_bits, q_bits_weight.
    for (const LayerAttribute &a : layerAttributes())
      if (a.key && a.key->name == attribute)
        diag.hint(didYouMean(std::string(a.name)));
  }

  BuildConfig &config;
  const std::string &path;
  JsonPlaces places;
  DiagnosticEngine &diags;
  bool ok = true;
};

} // namespace

static bool readOne(BuildConfig &config, const std::string &path,
                    DiagnosticEngine &diags) {
  std::shared_ptr<const MappedFile> file = MappedFile::open(path, diags);
  if (!file)
    return false;
  std::optional<json> layers = parseJson(file->text(), path, diags);
  return layers &&
         OptConfigReader(config, path, file->text(), diags).read(*layers);
}

bool yarrow::config::readOptConfig(BuildConfig &config,
                                   DiagnosticEngine &diags) {
  bool ok = true;
  if (!config.qconfig.empty() &&
      std::filesystem::path(config.qconfig).extension() != ".json") {
    diags
        .report(diag::QuantUnsupported, config.place("Optimizer.qconfig"),
                "qconfig names a Python plug-in, which Yarrow does not run")
        .found(std::filesystem::path(config.qconfig).filename().string())
        .expected("a .json file with attributes by layer, as for opt_config")
        .hint("every quantization writes <model_name>_opt_template.json, which "
              "you can change and give");
    ok = false;
  } else if (!config.qconfig.empty()) {
    ok = readOne(config, config.qconfig, diags);
  }
  // The later file wins where both name a layer.
  if (!config.optConfig.empty())
    ok &= readOne(config, config.optConfig, diags);
  return ok;
}
