//===- OptTemplate.cpp - The settings of a network, layer by layer --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/quantize/OptTemplate.h"

#include "compiler/config/OptConfig.h"
#include "compiler/quantize/Settings.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/Tensors.h"
#include "quantizer/calibrate/Calibrate.h"
#include "support/AtomicFile.h"
#include "support/Format.h"
#include "support/diagnostics/Settings.h"

#include <nlohmann/json.hpp>

#include <map>
#include <set>

using namespace yarrow;
using config::BuildConfig;
using config::LayerAttribute;
using config::LayerKey;
using config::ValueKind;
using Json = nlohmann::ordered_json;

/// Settings of layers that clean-up has merged into others decide nothing.
static void warnOfMerged(const BuildConfig &config, mlir::ModuleOp cleaned,
                         yarrow::DiagnosticEngine &diags) {
  std::set<std::string, std::less<>> left;
  cleaned.walk([&](mlir::Operation *op) {
    if (compass::recordOf(op))
      left.insert(std::string(layerKeyOf(op).name));
  });
  const config::OptLayer *first = nullptr;
  std::size_t merged = 0;
  for (const config::OptLayer &layer : config.optLayers)
    if (!left.contains(layer.name)) {
      first = first ? first : &layer;
      ++merged;
    }
  if (merged)
    diags
        .report(diag::RuleMatchesNothing, first->place,
                "the settings of " + formatCount(merged) +
                    (merged == 1 ? " layer have" : " layers have") +
                    " no effect: clean-up merges " +
                    (merged == 1 ? "it" : "them") + " into others")
        .found("the first one is " + first->name)
        .hint("set the layer before it");
}

bool yarrow::checkOptLayers(const BuildConfig &config, mlir::ModuleOp network,
                            mlir::ModuleOp cleaned,
                            yarrow::DiagnosticEngine &diags) {
  if (config.optLayers.empty())
    return true;
  std::map<std::string, std::string, std::less<>> types;
  std::vector<std::string> names;
  network.walk([&](mlir::Operation *op) {
    if (!compass::recordOf(op))
      return;
    LayerKey key = layerKeyOf(op);
    types.try_emplace(std::string(key.name), key.type);
    names.emplace_back(key.name);
  });
  bool ok = true;
  for (const config::OptLayer &layer : config.optLayers) {
    auto type = types.find(layer.name);
    if (type == types.end()) {
      ok = false;
      diags
          .report(diag::ConfigUnknownKey, layer.place,
                  "the network has no layer " + layer.name)
          .suggest(layer.name, names);
      continue;
    }
    auto refuse = [&](const Place &place, std::string_view attribute) {
      ok = false;
      diags.report(diag::ConfigUnknownKey, place,
                   "a layer of type " + type->second + " has no attribute " +
                       std::string(attribute));
    };
    for (const auto &[attribute, place] : layer.attributes)
      if (!attribute->isOf(type->second))
        refuse(place, attribute->name);
    if (layer.softmaxPlace && type->second != "Softmax")
      diags
          .report(diag::ConfigNotApplied, *layer.softmaxPlace,
                  "extra_params and approx_params are not applied to " +
                      layer.name)
          .hint("for layers of type " + type->second +
                ", Yarrow chooses the form itself");
  }
  if (ok)
    warnOfMerged(config, cleaned, diags);
  return ok;
}

namespace {

/// A value as JSON has it: numbers and flags are none in quotes.
Json valueOf(const ValueKind &kind, const std::string &text) {
  if (kind.form == ValueKind::Bool || kind.form == ValueKind::Integer ||
      kind.form == ValueKind::Real)
    return Json::parse(text, nullptr, /*allow_exceptions=*/false);
  return text;
}

class TemplateWriter {
public:
  TemplateWriter(const BuildConfig &config, mlir::ModuleOp quantized,
                 const std::vector<TensorMetric> &metrics)
      : config(config) {
    for (const TensorMetric &metric : metrics)
      byLayer[metric.layer].push_back(&metric);
    quantized.walk([&](mlir::Operation *op) {
      if (compass::recordOf(op))
        became.try_emplace(compass::layerNameOf(op).str(), op);
    });
  }

  Json layers(mlir::ModuleOp cleaned) {
    Json all = Json::object();
    cleaned.walk([&](mlir::Operation *op) {
      if (compass::recordOf(op) && op->hasAttr(kLayerIdAttr))
        all[compass::layerNameOf(op).str()] = layer(layerKeyOf(op));
    });
    return all;
  }

private:
  Json layer(const LayerKey &key) const {
    Json layer = Json::object();
    for (const LayerAttribute &attribute : config::layerAttributes()) {
      if (!attribute.key || !attribute.isOf(key.type))
        continue;
      std::string text = attribute.key->textFor(config, key);
      if (!text.empty())
        layer[std::string(attribute.name)] = valueOf(attribute.key->kind, text);
    }
    takeTypeRules(key, layer);
    layer["just_for_display"] = display(key);
    return layer;
  }

  /// What the type of a layer decides unless the layer itself is named: the
  /// Compass Optimizer reads the file too, and takes it at its word.
  void takeTypeRules(const LayerKey &key, Json &layer) const {
    if (key.type == "BatchNorm" && !config.weightBits.byName.contains(key.name))
      layer["q_bits_weight"] = LayerOptions().normWeightBits;
    if (key.type == "DepthwiseConv") {
      config::QuantizeMethod method = config.quantizeMethodForWeight.get(key);
      method.granularity = config::QuantizeMethod::Granularity::PerChannel;
      layer["q_mode_weight"] = method.str();
    }
  }

  Json display(const LayerKey &key) const {
    Json tensors = Json::object();
    if (auto op = became.find(key.name); op != became.end())
      for (mlir::Value value : op->second->getResults()) {
        compass::TensorInfo info = compass::describe(value);
        tensors[compass::tensorNameOf(value)] = {
            {"scale", info.scale},
            {"zerop", info.zp},
            {"dtype", compass::dtypeName(info.dtype).str()},
            {"qmin", info.lo},
            {"qmax", info.hi}};
      }
    std::string similarity, error;
    if (auto metrics = byLayer.find(key.name); metrics != byLayer.end())
      for (const TensorMetric *metric : metrics->second) {
        similarity += (similarity.empty() ? "" : ", ") +
                      std::to_string(metric->similarity.cosine());
        error += (error.empty() ? "" : ", ") +
                 std::to_string(metric->similarity.meanSquaredError());
      }
    return {{"quantization_info", std::move(tensors)},
            {"optimization_info", Json::object()},
            {"brief_info", "layer_id = " + std::to_string(key.id) +
                               ", layer_type = " + std::string(key.type) +
                               ", similarity=" + similarity +
                               ", MSE=" + error}};
  }

  const BuildConfig &config;
  std::map<std::string, mlir::Operation *, std::less<>> became;
  std::map<std::string, std::vector<const TensorMetric *>, std::less<>> byLayer;
};

} // namespace

bool yarrow::writeOptTemplate(const std::string &path,
                              const BuildConfig &config, mlir::ModuleOp cleaned,
                              mlir::ModuleOp quantized,
                              const std::vector<TensorMetric> &metrics,
                              yarrow::DiagnosticEngine &diags) {
  Json layers = TemplateWriter(config, quantized, metrics).layers(cleaned);
  AtomicFile file(path, diags);
  file.append(layers.dump(2, ' ', false, Json::error_handler_t::replace) +
              "\n");
  return file.commit();
}
