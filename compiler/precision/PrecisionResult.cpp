//===- PrecisionResult.cpp - A plan as settings, table and report ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/precision/PrecisionResult.h"
#include "support/Format.h"
#include "support/TextTable.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

using namespace yarrow;
using Json = nlohmann::ordered_json;

std::vector<std::size_t> PrecisionPlan::counts() const {
  std::vector<std::size_t> counts(precisions.size());
  for (const PlannedLayer &layer : layers)
    ++counts[layer.choice().precision];
  return counts;
}

QuantizerOptions
PrecisionPlan::quantizerOptions(const QuantizerOptions &given) const {
  QuantizerOptions options = given;
  for (std::size_t p = 0; p < precisions.size(); ++p) {
    std::vector<int64_t> ids;
    for (const PlannedLayer &layer : layers)
      if (layer.choice().precision == p)
        ids.push_back(layer.id);
    // Without ids it would be for all layers.
    if (!ids.empty())
      options.overrides.push_back(precisions[p].overrideFor(ids));
  }
  return options;
}

/// Whether a key is for layers with weights alone.
static bool isForWeights(const std::string &key) {
  return key == "weight_bits";
}

Settings yarrow::plannedSettings(const PrecisionPlan &plan,
                                 const Settings &given) {
  // By key and value, the layers.
  std::map<std::string, std::map<std::string, std::vector<int64_t>>> rules;
  for (const PlannedLayer &layer : plan.layers)
    for (const auto &[key, value] :
         plan.precisions[layer.choice().precision].settings())
      if (layer.hasWeights || !isForWeights(key))
        rules[key][value].push_back(layer.id);
  Settings settings;
  for (const auto &[key, values] : rules) {
    Settings changed = given;
    config::PerLayerText parts = partsOf(given, key);
    for (const auto &[value, ids] : values)
      // What all layers have anyway needs no rule.
      if (!parts.rules.empty() || value != parts.global)
        settings[key] = changed[key] = withRule(changed, key, ids, value);
  }
  return settings;
}

Json yarrow::optConfigJson(const PrecisionPlan &plan,
                           const QuantizerOptions &given) {
  QuantizerOptions planned = plan.quantizerOptions(given);
  Json layers = Json::object();
  for (const PlannedLayer &layer : plan.layers) {
    const Precision &precision = plan.precisions[layer.choice().precision];
    LayerOptions options =
        planned.forLayer(layer.type, layer.name, unsigned(layer.id));
    Json &entry = layers[layer.name] = Json::object();
    entry["q_bits_activation"] = options.activationBits;
    if (layer.hasWeights) {
      entry["q_bits_weight"] = options.weightBits;
      entry["q_bits_bias"] = options.biasBits;
    }
    if (options.activationBits > 8)
      entry["lut_items_in_bits"] = options.lutItemsInBits;
    if (precision.floatType)
      entry["trigger_float_op"] = precision.settings().at("trigger_float_op");
  }
  return layers;
}

/// Losses are small, and known to two figures or so.
static std::string lossText(double loss) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1e", loss);
  return text;
}

static std::string layersText(const PrecisionPlan &plan, bool isWhole,
                              std::size_t width) {
  std::vector<std::size_t> counts = plan.counts();
  auto most =
      unsigned(std::max_element(counts.begin(), counts.end()) - counts.begin());
  TextTable table;
  table.column("layer").shortened().column("type").optional(2);
  table.column("bits");
  for (const Precision &p : plan.precisions)
    table.number(std::string(plan.measured.loss.unit()) + " " + p.name);
  for (const Precision &p : plan.precisions)
    table.number((plan.isPriceBytes ? "bytes " : "+cycles ") + p.name)
        .optional(1);
  for (const PlannedLayer &layer : plan.layers) {
    if (!isWhole && layer.choice().precision == most)
      continue;
    std::size_t count = plan.precisions.size();
    std::vector<std::string> row = {
        layer.name, layer.type, plan.precisions[layer.choice().precision].name};
    row.resize(3 + 2 * count, "-");
    for (const LayerPrecision &option : layer.options) {
      row[3 + option.precision] = lossText(option.loss);
      row[3 + count + option.precision] = plan.isPriceBytes
                                              ? formatCount(option.weightBytes)
                                              : std::to_string(option.cycles);
    }
    table.row(std::move(row));
  }
  std::string text = table.empty() ? "" : table.str(width);
  if (!isWhole && counts[most])
    text += (table.empty() ? "all " : "the other ") +
            std::to_string(counts[most]) +
            " layers: " + plan.precisions[most].name + "\n";
  return text;
}

static std::string networksText(const PrecisionPlan &plan, std::size_t width) {
  TextTable table;
  table.column("network").number(plan.measured.loss.unit()).number("SQNR dB");
  table.number("agreement %").optional(1);
  table.number("cycles").number("weight bytes");
  auto add = [&](const std::string &name, const PrecisionFigures &f) {
    table.row(
        {name, lossText(f.loss.value()), formatFixed(f.loss.sqnrDb(), 1),
         f.loss.hasScores() ? formatFixed(100 * f.loss.agreement(), 1) : "-",
         formatCount(f.cycles), formatCount(f.weightBytes)});
  };
  for (std::size_t p = 0; p < plan.precisions.size(); ++p)
    add("all layers " + plan.precisions[p].name, plan.uniform[p]);
  table.row({"chosen, as predicted", lossText(plan.predicted.loss), "-", "-",
             formatCount(plan.predicted.cycles),
             formatCount(plan.predicted.weightBytes)});
  add("chosen, as measured", plan.measured);
  return table.str(width);
}

std::string yarrow::precisionText(const PrecisionPlan &plan, bool isWhole,
                                  std::size_t width) {
  std::string text =
      layersText(plan, isWhole, width) + "\n" + networksText(plan, width);
  for (const auto &[name, why] : plan.impossible)
    text += "not possible with " + name + ": " + why + "\n";
  std::vector<std::size_t> counts = plan.counts();
  text += "layers:";
  for (std::size_t p = 0; p < counts.size(); ++p)
    text += (p ? ", " : " ") + std::to_string(counts[p]) + " with " +
            plan.precisions[p].name;
  return text + " (" + std::to_string(plan.numMeasured) +
         (plan.numMeasured == 1 ? " mixture" : " mixtures") + " measured)\n";
}

static Json decibels(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

static Json figuresJson(const PrecisionFigures &figures) {
  return {{"loss", figures.loss.value()},
          {"sqnr_db", decibels(figures.loss.sqnrDb())},
          {"agreement",
           figures.loss.hasScores() ? Json(figures.loss.agreement()) : Json()},
          {"cycles", figures.cycles},
          {"weight_bytes", figures.weightBytes}};
}

static Json predictionJson(const PrecisionPlan::Prediction &prediction) {
  return {{"loss", prediction.loss},
          {"cycles", prediction.cycles},
          {"weight_bytes", prediction.weightBytes}};
}

Json yarrow::precisionJson(const PrecisionPlan &plan,
                           const Settings &settings) {
  Json uniform = Json::object(), layers = Json::array(), front = Json::array(),
       impossible = Json::object();
  for (std::size_t p = 0; p < plan.precisions.size(); ++p)
    uniform[plan.precisions[p].name] = figuresJson(plan.uniform[p]);
  for (const auto &[name, why] : plan.impossible)
    impossible[name] = why;
  for (const PlannedLayer &layer : plan.layers) {
    Json options = Json::object();
    for (const LayerPrecision &option : layer.options)
      options[plan.precisions[option.precision].name] = {
          {"loss", option.loss},
          {"cycles", option.cycles},
          {"weight_bytes", option.weightBytes}};
    layers.push_back(
        {{"layer_id", layer.id},
         {"name", layer.name},
         {"type", layer.type},
         {"chosen", plan.precisions[layer.choice().precision].name},
         {"options", std::move(options)}});
  }
  for (const PrecisionPlan::Prediction &prediction : plan.front)
    front.push_back(predictionJson(prediction));
  return {{"loss_unit", plan.measured.loss.unit()},
          {"is_met", plan.isMet},
          {"mixtures_measured", plan.numMeasured},
          {"settings", settings},
          {"predicted", predictionJson(plan.predicted)},
          {"measured", figuresJson(plan.measured)},
          {"uniform", std::move(uniform)},
          {"impossible", std::move(impossible)},
          {"front", std::move(front)},
          {"layers", std::move(layers)}};
}
