//===- Settings.cpp - From a configuration to quantizer options -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/quantize/Settings.h"
#include "compiler/config/ConfigKeys.h"
#include "compiler/config/Ini.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/Keys.h"
#include "dialects/compass/Records.h"
#include "quantizer/calibrate/Calibrate.h"
#include "quantizer/options/QuantTypes.h"
#include "quantizer/rules/ComparedLayers.h"
#include "support/diagnostics/Quantizer.h"
#include "support/diagnostics/Settings.h"

#include <algorithm>
#include <cassert>
#include <set>

using namespace yarrow;
using config::BuildConfig;
using config::LayerKey;

namespace {

class SettingsReader {
public:
  SettingsReader(const BuildConfig &config, yarrow::DiagnosticEngine &diags)
      : config(config), diags(diags) {}

  std::optional<QuantizerOptions> read(mlir::ModuleOp module) {
    QuantizerOptions options;
    // A key that no layer has leaves the global values.
    options.global = layerOptions(LayerKey());
    check(options.global);
    options.calibrationBatchSize = unsigned(config.calibrationBatchSize);
    options.shufflesSamples = config.calibrationShuffle;
    options.detectsMasks = config.detectMasks;
    options.splitsResizes = config.splitResizes;
    if (hasRules())
      module.walk([&](mlir::Operation *op) { addOverride(op, options); });
    else if (!config.triggerFloatOp.isUniform())
      module.walk([&](mlir::Operation *op) { addFloatOverride(op, options); });
    addPeaks(module, options);
    addMethods(options);
    keepStartNodes(module, options);
    checkRest();
    if (!ok)
      return std::nullopt;
    return options;
  }

private:
  static std::string optimizerKey(std::string_view key) {
    return "Optimizer." + std::string(key);
  }
  Place place(std::string_view key) const {
    return config.place(optimizerKey(key));
  }
  bool isSet(std::string_view key) const {
    return config.isSet(optimizerKey(key));
  }

  /// By a user, not by a recipe.
  bool isChosen(std::string_view key) const {
    return isSet(key) && !config.recipeKeys.contains(key);
  }

  bool hasRules() const {
    return !config.optLayers.empty() ||
           std::ranges::any_of(
               config::configKeys(), [&](const config::ConfigKey &key) {
                 return key.rules && key.name != "trigger_float_op" &&
                        !key.rules(config).empty();
               });
  }

  /// More bits for what is compared with its own maximum. Bits that are given
  /// win over those of a recipe.
  void addPeaks(mlir::ModuleOp module, QuantizerOptions &options) {
    auto bits = unsigned(config.peakActivationBits);
    if (!bits || (isSet("activation_bits") &&
                  config.recipeKeys.contains("peak_activation_bits")))
      return;
    // Tables of 16 bits are interpolated: those of so many items follow a
    // sigmoid within a step.
    static constexpr unsigned kTableBits = 10;
    for (mlir::Operation *op : layersOfPeaks(module)) {
      auto id = op->getAttrOfType<mlir::IntegerAttr>(kLayerIdAttr);
      if (!id)
        continue;
      LayerOverride peak;
      peak.layerIds = {{unsigned(id.getInt()), unsigned(id.getInt())}};
      peak.apply = [bits](LayerOptions &o) {
        o.activationBits = std::max(o.activationBits, bits);
        o.lutItemsInBits = std::max(o.lutItemsInBits, kTableBits);
      };
      options.overrides.push_back(std::move(peak));
    }
  }

  LayerOptions layerOptions(const LayerKey &key) {
    LayerOptions o;
    o.weightMethod = method(config.quantizeMethodForWeight.get(key),
                            "quantize_method_for_weight");
    o.activationMethod = method(config.quantizeMethodForActivation.get(key),
                                "quantize_method_for_activation");
    o.weightBits = unsigned(config.weightBits.get(key));
    if (config.weightBits.byName.contains(key.name))
      o.normWeightBits = o.weightBits;
    o.activationBits = unsigned(config.activationBits.get(key));
    o.biasBits = unsigned(config.biasBits.get(key));
    o.biasEffectiveBits = unsigned(config.biasEffectiveBits.get(key));
    o.multiplierBits = unsigned(config.multiplierBits.get(key).value_or(0));
    o.lutItemsInBits = unsigned(config.lutItemsInBits.get(key));
    o.adaptBiasBits = config.biasEffectiveBitsAuto.get(key);
    o.unifyShifts = config.unifyShiftsForAiff.get(key);
    o.shiftsMerge = config.unifyShiftsMerge.get(key);
    o.forceShiftPositive = config.forceShiftPositive.get(key);
    o.perfMode = config.perfMode.get(key);
    o.sharesCacheScale = config.unifyScalesForKvcConcat.get(key);
    // As in the Optimizer, what is said of Concat comes first.
    if (config.unifyScalesForConcat)
      o.scaleUnions.push_back({"Concat", config.unifyScalesForConcatMaxDepth,
                               config.unifyScalesForConcatThreshold,
                               ScaleUnion::Method::Out});
    for (const ScaleUnion &one : config.unifyScales.get(key))
      o.scaleUnions.push_back(one);
    for (const ScaleUnion &one : o.scaleUnions)
      if (config::toLower(one.layerType) == config::toLower(key.type)) {
        o.alignThreshold = float(one.threshold);
        break;
      }
    o.resizeToNearest = config.resizeToNearest.get(key);
    o.compressWeights = config.optimizeWdc.get(key);
    o.forceSigned = config.forceDtypeInt.get(key);
    o.weightStrategy = config.calibrationStrategyForWeight.get(key);
    o.activationStrategy = config.calibrationStrategyForActivation.get(key);
    o.wideRangeHeadroom = float(config.wideRangeHeadroom);
    o.observer.momentum = float(config.runningStatisticMomentum.get(key));
    o.observer.histogramBins = unsigned(config.histcBins.get(key));
    o.observer.trim = config.trimInfinity.get(key);
    // Masks have no part in ranges where they are looked for.
    if (config.detectMasks)
      o.observer.largest = ObserverOptions::kLargest;
    using Method = config::SoftmaxTuning::Method;
    Method softmax = config.softmaxTuning.get(key).method;
    o.softmaxMethod = softmax == Method::Lut       ? SoftmaxMethod::Lut
                      : softmax == Method::FastExp ? SoftmaxMethod::FastExp
                                                   : SoftmaxMethod::Auto;
    // What a user has asked for is not adapted, but where both are asked for.
    bool isAsked = isChosen("adapt_to_functions");
    o.keepsDigits = config.adaptToFunctions.get(key);
    o.fitsTables =
        o.keepsDigits &&
        (isAsked || !(isChosen("lut_items_in_bits") || isChosen("quant_type")));
    o.raisesBits =
        o.keepsDigits &&
        (isAsked || !(isChosen("activation_bits") || isChosen("quant_type")));
    o.weightBlockSize = unsigned(config.weightBlockSize.get(key));
    setFloatType(config.triggerFloatOp.get(key), o);
    const std::string &quantType = config.quantType.get(key);
    if (!applyQuantType(quantType, o))
      unsupported("quant_type", quantType,
                  computedQuantTypes() +
                      ": no kernel computes floats of 8 or 4 bits");
    return o;
  }

  void setFloatType(const config::FloatTrigger &trigger, LayerOptions &o) {
    if (trigger.isDisabled())
      return;
    static constexpr std::pair<std::string_view, ElementType> kTypes[] = {
        {"float16", ElementType::F16},
        {"bfloat16", ElementType::BF16},
        {"float32", ElementType::F32}};
    std::string_view form = trigger.type;
    for (auto [word, type] : kTypes)
      if (form.starts_with(word))
        o.floatType = type;
    o.floatReason = config.isSet("Optimizer.trigger_float_op")
                        ? "trigger_float_op"
                        : "trigger_float_op, by default";
    form.remove_prefix(form.find('_'));
    o.weightsOnly = form == "_act_int_wht";
    if (!o.weightsOnly && form != "_preferred")
      unsupported("trigger_float_op", trigger.type,
                  "float16_preferred, float16_act_int_wht or similar: no "
                  "kernel computes float weights of 8 or 4 bits");
  }

  QuantMethod method(const config::QuantizeMethod &value, const char *key) {
    if (std::optional<QuantMethod> parsed = QuantMethod::parse(value.str()))
      return *parsed;
    unsupported(key, value.str(),
                "per_tensor_, per_channel_ or per_block_ with "
                "symmetric_restricted_range, "
                "symmetric_full_range or asymmetric");
    return {};
  }

  void check(const LayerOptions &options) {
    for (const OptionProblem &problem : problemsOf(options))
      unsupported(problem.key, problem.found, problem.expected);
  }

  void unsupported(const std::string &key, const std::string &value,
                   const std::string &expected) {
    ok = false;
    // Per-layer rules would repeat the same problem for every layer.
    if (!reported.insert(key + " " + value).second)
      return;
    diags
        .report(diag::QuantUnsupported, place(key),
                key + " has a value that is not supported")
        .found(value)
        .expected(expected);
  }

  void addOverride(mlir::Operation *op, QuantizerOptions &options) {
    if (!compass::recordOf(op) || !op->hasAttr(kLayerIdAttr))
      return;
    LayerKey key = layerKeyOf(op);
    LayerOverride over;
    over.layerIds = {{unsigned(key.id), unsigned(key.id)}};
    LayerOptions own = layerOptions(key);
    check(own);
    over.apply = [own](LayerOptions &o) {
      // The form of the weights is not of the configuration's keys for layers.
      WinogradTransform form = o.winograd;
      o = own;
      o.winograd = form;
    };
    options.overrides.push_back(std::move(over));
  }

  /// The rule for floats that targets have by default names few layers: only
  /// those get options of their own.
  void addFloatOverride(mlir::Operation *op, QuantizerOptions &options) {
    if (!compass::recordOf(op) || !op->hasAttr(kLayerIdAttr))
      return;
    LayerKey key = layerKeyOf(op);
    const config::FloatTrigger &trigger = config.triggerFloatOp.get(key);
    if (trigger == config.triggerFloatOp.global)
      return;
    LayerOverride over;
    over.layerIds = {{unsigned(key.id), unsigned(key.id)}};
    LayerOptions own = options.global;
    own.floatType.reset(), own.weightsOnly = false;
    setFloatType(trigger, own);
    applyQuantType(config.quantType.get(key), own);
    check(own);
    over.apply = [type = own.floatType, reason = own.floatReason,
                  weightsOnly = own.weightsOnly](LayerOptions &o) {
      o.floatType = type, o.floatReason = reason, o.weightsOnly = weightsOnly;
    };
    options.overrides.push_back(std::move(over));
  }

  void addMethods(QuantizerOptions &options) {
    for (const config::GlobalCalibration &g : config.globalCalibration) {
      std::optional<GlobalMethod> method =
          GlobalMethod::create(g.method, g.parameters);
      assert(method && "the reader of the configuration has checked it");
      if (g.where)
        method->where = [where = *g.where](mlir::Operation *op) {
          return where.matches(layerKeyOf(op));
        };
      for (const GlobalMethod::Parameter &p : method->record->listParameters())
        if ((p.name == "insert_norm" || p.name == "max_shrink") &&
            method->value(p.name) != 0)
          notApplied("global_calibration",
                     "layers and ranges stay as without " + p.name);
      method->isAsked = !config.recipeKeys.contains("global_calibration");
      options.methods.push_back(std::move(*method));
    }
  }

  /// Layers of set_qinvariant_for_start_nodes; others than inputs and constants
  /// have no integers of their own.
  void keepStartNodes(mlir::ModuleOp module, QuantizerOptions &options) {
    for (int id : config.qinvariantStartNodes) {
      std::string found = "no layer has this layer_id";
      bool isStart = false;
      module.walk([&](mlir::Operation *op) {
        if (!compass::recordOf(op) || !op->hasAttr(kLayerIdAttr))
          return;
        LayerKey key = layerKeyOf(op);
        if (key.id != id)
          return;
        isStart = key.type == "Input" || key.type == "Constant";
        found = "layer " + std::to_string(id) + " is a " +
                std::string(key.type) + ", " + std::string(key.name);
      });
      if (!isStart) {
        diags
            .report(diag::RuleMatchesNothing,
                    place("set_qinvariant_for_start_nodes"),
                    "set_qinvariant_for_start_nodes names a layer that is not "
                    "an Input or Constant")
            .found(found);
        continue;
      }
      LayerOverride over;
      over.layerIds = {{unsigned(id), unsigned(id)}};
      over.apply = [](LayerOptions &o) { o.keepIntegers = true; };
      options.overrides.push_back(std::move(over));
    }
  }

  void notApplied(const char *key, const std::string &consequence) {
    diags
        .report(diag::ConfigNotApplied, place(key),
                std::string(key) + " is not applied yet")
        .hint(consequence);
  }

  /// Settings that the quantizer has no counterpart for.
  void checkRest() {
    const config::SoftmaxTuning &softmax = config.softmaxTuning.global;
    if (!softmax.parameters.empty() || softmax.approxMethod != 0)
      notApplied("enable_pass_tune_op_softmax",
                 "only the method is applied; Yarrow chooses its parameters");
  }

  const BuildConfig &config;
  yarrow::DiagnosticEngine &diags;
  bool ok = true;
  std::set<std::string> reported;
};

} // namespace

LayerKey yarrow::layerKeyOf(mlir::Operation *op) {
  LayerKey key;
  const compass::OperatorRecord *record = compass::recordOf(op);
  if (auto id = op->getAttrOfType<mlir::IntegerAttr>(kLayerIdAttr))
    key.id = id.getInt();
  key.type = std::string_view(record->layerType);
  auto method = op->getAttrOfType<mlir::StringAttr>(compass::keys::method);
  if (method && record->layerType.equals_insensitive("Activation"))
    key.method = std::string_view(method.getValue());
  key.name = std::string_view(compass::layerNameOf(op));
  return key;
}

std::optional<QuantizerOptions>
yarrow::quantizerOptions(const BuildConfig &config, mlir::ModuleOp module,
                         yarrow::DiagnosticEngine &diags) {
  return SettingsReader(config, diags).read(module);
}
