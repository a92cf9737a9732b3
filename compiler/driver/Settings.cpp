//===- Settings.cpp - From a configuration to quantizer options -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/driver/Settings.h"
#include "compiler/config/ConfigKeys.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/Records.h"
#include "quantizer/calibrate/Calibrate.h"

#include <set>

using namespace yarrow;
using config::BuildConfig;
using config::LayerKey;

namespace {

class SettingsReader {
public:
  SettingsReader(const BuildConfig &config, DiagnosticEngine &diags)
      : config(config), diags(diags) {}

  std::optional<QuantizerOptions> read(mlir::ModuleOp module) {
    QuantizerOptions options;
    // A key that no layer has leaves the global values.
    options.global = layerOptions(LayerKey());
    check(options.global);
    options.observer.momentum = float(config.runningStatisticMomentum.global);
    options.observer.histogramBins = unsigned(config.histcBins.global);
    options.calibrationBatchSize = unsigned(config.calibrationBatchSize);
    if (hasRules())
      module.walk([&](mlir::Operation *op) { addOverride(op, options); });
    else if (!config.triggerFloatOp.isUniform())
      module.walk([&](mlir::Operation *op) { addFloatOverride(op, options); });
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
  bool isGiven(std::string_view key) const {
    return config.isGiven(optimizerKey(key));
  }

  bool hasRules() const {
    auto any = [](const auto &...settings) {
      return (!settings.rules.empty() || ...);
    };
    return any(config.quantizeMethodForWeight,
               config.quantizeMethodForActivation, config.weightBits,
               config.activationBits, config.biasBits, config.biasEffectiveBits,
               config.lutItemsInBits, config.multiplierBits,
               config.unifyShiftsForAiff, config.forceDtypeInt,
               config.softmaxTuning, config.calibrationStrategyForWeight,
               config.calibrationStrategyForActivation);
  }

  LayerOptions layerOptions(const LayerKey &key) {
    LayerOptions o;
    o.weightMethod = method(config.quantizeMethodForWeight.get(key),
                            "quantize_method_for_weight");
    o.activationMethod = method(config.quantizeMethodForActivation.get(key),
                                "quantize_method_for_activation");
    o.weightBits = unsigned(config.weightBits.get(key));
    o.activationBits = unsigned(config.activationBits.get(key));
    o.biasBits = unsigned(config.biasBits.get(key));
    o.biasEffectiveBits = unsigned(config.biasEffectiveBits.get(key));
    o.multiplierBits = unsigned(config.multiplierBits.get(key).value_or(0));
    o.lutItemsInBits = unsigned(config.lutItemsInBits.get(key));
    o.unifyShifts = config.unifyShiftsForAiff.get(key);
    o.forceSigned = config.forceDtypeInt.get(key);
    o.weightStrategy = config.calibrationStrategyForWeight.get(key);
    o.activationStrategy = config.calibrationStrategyForActivation.get(key);
    using Method = config::SoftmaxTuning::Method;
    Method softmax = config.softmaxTuning.get(key).method;
    o.softmaxMethod = softmax == Method::Lut       ? SoftmaxMethod::Lut
                      : softmax == Method::FastExp ? SoftmaxMethod::FastExp
                                                   : SoftmaxMethod::Auto;
    o.floatType = floatType(config.triggerFloatOp.get(key));
    return o;
  }

  std::optional<ElementType> floatType(const config::FloatTrigger &trigger) {
    if (trigger.isDisabled())
      return std::nullopt;
    static constexpr std::pair<std::string_view, ElementType> kTypes[] = {
        {"float16_preferred", ElementType::F16},
        {"bfloat16_preferred", ElementType::BF16},
        {"float32_preferred", ElementType::F32}};
    for (auto [word, type] : kTypes)
      if (trigger.type == word)
        return type;
    if (reported.insert("trigger_float_op").second)
      notApplied("trigger_float_op",
                 "float layers with weights of few bits are quantized as all "
                 "others");
    return std::nullopt;
  }

  QuantMethod method(const config::QuantizeMethod &value, const char *key) {
    if (std::optional<QuantMethod> parsed = QuantMethod::parse(value.str()))
      return *parsed;
    unsupported(key, value.str(),
                "per_tensor_ or per_channel_ with symmetric_restricted_range, "
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
        .report(DiagId::QuantUnsupported, place(key),
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
    over.apply = [type = floatType(trigger)](LayerOptions &o) {
      o.floatType = type;
    };
    options.overrides.push_back(std::move(over));
  }

  void notApplied(const char *key, const char *consequence) {
    diags
        .report(DiagId::ConfigNotApplied, place(key),
                std::string(key) + " is not applied yet")
        .hint(consequence);
  }

  /// Settings that the quantizer has no counterpart for.
  void checkRest() {
    for (const config::GlobalCalibration &g : config.globalCalibration)
      if (g.method != "none") {
        notApplied("global_calibration",
                   "ranges and rounding are used as they are calibrated");
        break;
      }
    if (config.unifyScalesForConcat)
      notApplied("unify_scales_for_concat",
                 "inputs of a Concat are requantized to its scale");
    if (!config.qinvariantStartNodes.empty())
      notApplied("set_qinvariant_for_start_nodes",
                 "the inputs are quantized by their calibrated range");
    if (!config.runningStatisticMomentum.rules.empty())
      notApplied("running_statistic_momentum",
                 "the value for all layers is, its rules are not");
    if (!config.histcBins.rules.empty())
      notApplied("histc_bins",
                 "the value for all layers is, its rules are not");
    if (!config.optConfig.empty())
      notApplied("opt_config",
                 "give settings by layer as 8 & <{name}:16> instead");
    const config::SoftmaxTuning &softmax = config.softmaxTuning.global;
    if (!softmax.parameters.empty() || softmax.approxMethod != 0)
      notApplied("enable_pass_tune_op_softmax",
                 "the method is, with parameters that Yarrow chooses");
    bool isForced = config.forceShiftPositive.global;
    for (const auto &rule : config.forceShiftPositive.rules)
      isForced |= rule.value;
    if (isForced)
      notApplied("force_shift_positive",
                 "shifts are as the scales need them, negative ones too");
  }

  const BuildConfig &config;
  DiagnosticEngine &diags;
  bool ok = true;
  std::set<std::string> reported;
};

} // namespace

bool yarrow::isAppliedPerLayer(std::string_view key) {
  return key != "running_statistic_momentum" && key != "histc_bins" &&
         key != "force_shift_positive";
}

LayerKey yarrow::layerKeyOf(mlir::Operation *op) {
  LayerKey key;
  const compass::OperatorRecord *record = compass::recordOf(op);
  if (auto id = op->getAttrOfType<mlir::IntegerAttr>(kLayerIdAttr))
    key.id = id.getInt();
  key.type = std::string_view(record->layerType);
  auto method = op->getAttrOfType<mlir::StringAttr>("method");
  if (method && record->layerType.equals_insensitive("Activation"))
    key.method = std::string_view(method.getValue());
  key.name = std::string_view(compass::layerNameOf(op));
  return key;
}

std::optional<QuantizerOptions>
yarrow::quantizerOptions(const BuildConfig &config, mlir::ModuleOp module,
                         DiagnosticEngine &diags) {
  return SettingsReader(config, diags).read(module);
}
