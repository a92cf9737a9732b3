//===- RuleUse.cpp - Which layers the rules of settings match -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/quantize/RuleUse.h"

#include "compiler/config/ConfigKeys.h"
#include "compiler/config/Ini.h"
#include "compiler/quantize/Settings.h"
#include "dialects/compass/Records.h"
#include "support/Format.h"
#include "support/TextTable.h"
#include "support/diagnostics/Settings.h"

#include <algorithm>

using namespace yarrow;
using config::LayerKey;
using config::LayerSelector;
using config::RuleView;

/// Views into the names of \p module.
static std::vector<LayerKey> layerKeysOf(mlir::ModuleOp module) {
  std::vector<LayerKey> keys;
  module.walk([&](mlir::Operation *op) {
    if (compass::recordOf(op))
      keys.push_back(layerKeyOf(op));
  });
  return keys;
}

/// "did you mean Convolution?", also where only the case differs.
static std::string nearestWithoutCase(const std::string &lowerCaseWord,
                                      const std::vector<std::string> &names) {
  std::vector<std::string> lower;
  lower.reserve(names.size());
  for (const std::string &name : names)
    lower.push_back(config::toLower(name));
  std::string near = nearestName(lowerCaseWord, lower);
  if (near.empty())
    return "";
  auto at = std::find(lower.begin(), lower.end(), near);
  return didYouMean(names[std::size_t(at - lower.begin())]);
}

/// Layer types and methods of activations that there are at all.
static std::vector<std::string> knownTypes() {
  std::vector<std::string> names;
  for (const compass::OperatorRecord &record : compass::allOperators()) {
    names.push_back(record.layerType.str());
    if (record.layerType == "Activation")
      for (const compass::MethodRecord &method : record.methods)
        names.push_back(method.name.str());
  }
  return names;
}

namespace {

/// Holds one rule against the network.
class RuleCheck {
public:
  RuleCheck(const config::ConfigKey &key, const RuleView &rule, Place place,
            const std::vector<LayerKey> &layers,
            yarrow::DiagnosticEngine &diags)
      : rule(rule), layers(layers), diags(diags), place(std::move(place)),
        head("the rule " + std::string(rule.text) + " of " +
             std::string(key.name)) {}

  /// The number of layers that the rule names.
  std::size_t run() {
    std::size_t matched = 0;
    for (const LayerKey &layer : layers)
      matched += rule.where->matches(layer);
    checkTypes(matched == 0);
    checkIds();
    if (rule.where->name && matched == 0)
      warnOfName(*rule.where->name);
    return matched;
  }

  yarrow::Diagnostic &warn(const std::string &what) {
    return diags.report(diag::RuleMatchesNothing, place, head + what);
  }

private:
  /// A type that the network lacks is an error of the rule only if no other of
  /// its types is there; one that does not exist always is.
  void checkTypes(bool matchesNothing) {
    std::vector<std::string> known;
    for (const std::string &type : rule.where->types) {
      LayerSelector alone;
      alone.types = {type};
      if (std::any_of(layers.begin(), layers.end(), [&](const LayerKey &layer) {
            return alone.matches(layer);
          }))
        continue;
      if (known.empty())
        known = knownTypes();
      bool exists =
          std::any_of(known.begin(), known.end(), [&](const std::string &name) {
            return config::toLower(name) == type;
          });
      if (!exists)
        warn(" names a layer type that does not exist")
            .found(type)
            .hint(nearestWithoutCase(type, known));
      else if (matchesNothing)
        warn(" matches no layer: the network has no layers of this type")
            .found(type)
            .expected(typesOfNetwork());
    }
  }

  std::string typesOfNetwork() const {
    std::vector<std::string> types;
    for (const LayerKey &layer : layers)
      for (std::string_view word : {layer.type, layer.method})
        if (!word.empty() &&
            std::find(types.begin(), types.end(), word) == types.end())
          types.emplace_back(word);
    std::string text;
    for (const std::string &type : types)
      text += (text.empty() ? "one of " : ", ") + type;
    return text;
  }

  void checkIds() {
    for (auto range : rule.where->idRanges) {
      LayerSelector alone;
      alone.idRanges = {range};
      if (std::any_of(layers.begin(), layers.end(), [&](const LayerKey &layer) {
            return alone.hasId(layer.id);
          }))
        continue;
      warn(" matches no layer by number")
          .found(alone.str())
          .expected("layer_ids from 0 to " + std::to_string(layers.size() - 1));
    }
  }

  void warnOfName(const config::NamePattern &pattern) {
    yarrow::Diagnostic &diag = warn(" matches no layer by name");
    diag.found(pattern.text());
    std::string unused, anywhere = ".*(" + pattern.text() + ")";
    auto contained = config::NamePattern::compile(anywhere, unused);
    std::size_t inside = 0;
    std::vector<std::string> names;
    for (const LayerKey &layer : layers) {
      names.emplace_back(layer.name);
      inside += contained && contained->matches(layer.name);
    }
    if (inside)
      diag.hint("the expression must match from the beginning of a name: <{.*" +
                pattern.text() + "}:...> matches " + formatCount(inside) +
                (inside == 1 ? " layer" : " layers"));
    else if (!diag.suggest(pattern.text(), names))
      diag.hint("a pattern is a regular expression that must match from the "
                "beginning of a layer_name");
  }

  const RuleView &rule;
  const std::vector<LayerKey> &layers;
  yarrow::DiagnosticEngine &diags;
  Place place;
  std::string head;
};

} // namespace

std::vector<RuleUse> yarrow::useOfRules(const config::BuildConfig &config,
                                        mlir::ModuleOp read,
                                        mlir::ModuleOp cleaned,
                                        yarrow::DiagnosticEngine &diags) {
  std::vector<RuleUse> uses;
  std::vector<LayerKey> layers = layerKeysOf(read),
                        remaining = layerKeysOf(cleaned);
  for (const config::ConfigKey &key : config::configKeys()) {
    std::string name = std::string(key.section) + "." + std::string(key.name);
    // Rules of a default may well match nothing.
    if (!key.rules || !config.isSet(name))
      continue;
    std::vector<RuleView> rules = key.rules(config);
    std::vector<std::size_t> decided(rules.size() + 1);
    for (const LayerKey &layer : remaining)
      ++decided[key.ruleFor(config, layer)];
    for (std::size_t i = 0; i != rules.size(); ++i) {
      RuleCheck check(key, rules[i], config.place(name), layers, diags);
      RuleUse use{std::string(key.name), std::string(rules[i].text),
                  check.run(), decided[i]};
      if (use.matched && !use.decides)
        check.warn(" has no effect on any layer")
            .found(formatCount(use.matched) +
                   (use.matched == 1 ? " layer" : " layers") + " matched")
            .hint("other rules win there, or clean-up merges these layers into "
                  "the layers before: set those");
      uses.push_back(std::move(use));
    }
  }
  return uses;
}

std::string yarrow::ruleTable(const std::vector<RuleUse> &rules,
                              std::size_t width) {
  if (rules.empty())
    return "";
  TextTable table;
  table.column("setting").column("rule").shortened();
  table.number("layers").number("decides");
  for (const RuleUse &use : rules)
    table.row({use.key, use.rule, formatCount(use.matched),
               formatCount(use.decides)});
  return table.str(width) + "\n";
}
