//===- BuildConfig.h - What a configuration file asks for -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The settings of an AIPUBuilder or Compass Optimizer configuration, typed.
// Every member is filled from the record of its key in ConfigKeys.def, which
// also holds the default, the limits and the documentation.
//
//   std::optional<BuildConfig> config =
//       readBuildConfig("net.cfg", ConfigOptions(), diags);
//   if (config)
//     quantize(config->graph, config->weightBits.get(layer));
//
// Paths are relative to the folder of the file and made complete here.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_CONFIG_BUILDCONFIG_H
#define YARROW_COMPILER_CONFIG_BUILDCONFIG_H

#include "compiler/config/PerLayer.h"
#include "quantizer/math/QuantParams.h"
#include "quantizer/observe/CalibrationStrategy.h"
#include "quantizer/observe/ValueTrim.h"
#include "quantizer/options/DecisionThresholds.h"
#include "quantizer/options/ScaleUnion.h"
#include "support/Diagnostics.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yarrow::config {

enum class BuildMode { Run, Build };
enum class Tiling { Default, Fps, Footprint };
enum class WinogradChoice { Auto, All };

struct QuantizeMethod {
  enum class Granularity { PerTensor, PerChannel, PerBlock };
  enum class Range { SymmetricRestricted, SymmetricFull, Asymmetric };
  Granularity granularity = Granularity::PerTensor;
  Range range = Range::SymmetricFull;

  bool isAsymmetric() const { return range == Range::Asymmetric; }
  /// As the file spells it: per_channel_symmetric_restricted_range.
  std::string str() const;
  bool operator==(const QuantizeMethod &) const = default;
};

using yarrow::CalibrationStrategy;
using yarrow::DecisionThresholds;
using yarrow::ScaleUnion;
using yarrow::ShiftsMerge;
using yarrow::ValueTrim;

/// A float type for operators that shall not be quantized.
struct FloatTrigger {
  std::string type = "disable"; ///< Or float16_preferred and the like.
  bool isForced = false; ///< With '!': whatever the operator library offers.

  bool isDisabled() const { return type == "disable"; }
  bool operator==(const FloatTrigger &) const = default;
};

/// How Softmax is quantized: "[quantMethod,parameters...][approxMethod,...]".
struct SoftmaxTuning {
  enum class Method { Auto, FastExp, Lut };
  Method method = Method::Auto;
  std::vector<double> parameters; ///< Those of the method.
  int approxMethod = 0;           ///< Of a float Softmax; 0 is exact.
  bool operator==(const SoftmaxTuning &) const = default;
};

/// Of layer_ids, inclusive.
struct LayerRange {
  int first = 0, last = 0;
};

/// One of the chained methods of global_calibration.
struct GlobalCalibration {
  std::string method; ///< easy_quant, adaround, ...
  std::vector<double> parameters;
  std::optional<LayerSelector> where; ///< All layers if not given.
};

/// "batches,threshold,L|G": bits by layer so that a metric is good enough.
struct PrecisionTarget {
  int batches = 0; ///< Of the evaluation data; 0: no search.
  double threshold = 0;
  /// The metric may fall by no more than the threshold; else, as of one that
  /// measures errors, the fall must be the threshold or more.
  bool isFallAtMost = true;
};

/// "TopKMetric(5)"
struct Metric {
  std::string name; ///< As it is spelled; case does not matter.
  std::vector<std::string> arguments;
};

struct LayerAttribute;

/// What opt_config says of a layer; the values are in the settings themselves.
struct OptLayer {
  std::string name;
  Place place;
  /// Those that only some types of layers have.
  std::vector<std::pair<const LayerAttribute *, Place>> attributes = {};
  std::optional<Place> softmaxPlace = {}; ///< extra_params or approx_params.
};

struct BuildConfig {
  std::string fileName;
  /// Options of the command that say how the model is read, as they were given:
  /// "--input-shape x=1,3,224,224". A command that is proposed needs them, too.
  std::vector<std::string> readingOptions;

  // [Common]
  BuildMode mode = BuildMode::Run;
  std::string logFile;

  // [Parser]: a model of another format in the place of the graph
  std::string parserModelType, parserModel, parserModelName, parserDomain;
  std::string parserInput, parserInputShape, parserOutput, parserOutputDir;
  bool parserForceFloat = false;
  int parserLoopCount = 100;
  // Layers in front of it and behind it (compiler/model/ParserLayers.h)
  std::string parserPreprocess, parserPreprocessParams;
  std::string parserDetection, parserAnchors, parserVariance;
  std::string parserFeatureMaps, parserAnchorTensor, parserAnchorFormat;
  std::string parserBoxFormat, parserSsdActivation;
  double parserOverlap = 0.5, parserObjectness = 0.3, parserScore = 0.5;
  int parserMostBoxes = 5000, parserClasses = 0;
  int parserImageWidth = 416, parserImageHeight = 416;
  bool parserIsNormalized = true, parserCompensatesGrid = true;

  // Of data that are pictures (PictureSettings.h)
  std::string pictureMean, pictureScale, pictureChannels, pictureLayout;
  std::string pictureResize;
  bool foldsPreprocessing = false;

  // [Optimizer]: files
  std::string graph, bin;
  std::string modelName;
  std::string outIrName;   ///< Of the quantized IR; <modelName>_o by default.
  std::string quantIrName; ///< Older key; already taken over to outIrName.
  std::string outputDir;
  std::string optConfig; ///< JSON with settings by layer name.
  std::string qconfig;   ///< The same; opt_config wins.

  // [Optimizer]: data
  std::string dataset; ///< How samples lie in files (compiler/data/DataSet.h).
  int dataBatchDim = 0, labelBatchDim = 0;
  std::string calibrationData; ///< "a.npy", or "a.npy,b.npy" for two inputs.
  int calibrationBatchSize = 1;
  bool calibrationShuffle = false;
  /// Runs of a sequence of a network with state; 0: all are one
  /// (--reset-every).
  std::size_t resetEvery = 0;
  bool detectMasks = false;
  bool splitResizes = false;
  int peakActivationBits = 0; ///< 0: as other activations.
  /// Without any samples are drawn: of a model that is built without a file.
  bool drawsSamples = false;
  std::string data, label; ///< For metrics; lists of paths.
  std::vector<Metric> metrics;
  int metricBatchSize = 1;
  bool evalOriginalModel = true, evalOptimizedModel = true;
  bool skipOptimization = false;

  // [Optimizer]: quantization
  std::string recipe; ///< Of Recipes.def: what keys have that are not given.
  PerLayer<QuantizeMethod> quantizeMethodForWeight, quantizeMethodForActivation;
  PerLayer<int> weightBits, activationBits, biasBits, biasEffectiveBits;
  PerLayer<int> lutItemsInBits, weightBlockSize;
  PerLayer<std::string> quantType; ///< Of QuantTypes.def; wins over the bits.
  PerLayer<std::optional<int>> multiplierBits; ///< Chosen by the quantizer.
  PerLayer<bool> unifyShiftsForAiff, forceDtypeInt, forceShiftPositive;
  PerLayer<bool> biasEffectiveBitsAuto, perfMode, resizeToNearest, optimizeWdc;
  PerLayer<ShiftsMerge> unifyShiftsMerge;
  PerLayer<bool> withWinograd, adaptToFunctions;
  WinogradChoice winogradDecision = WinogradChoice::Auto;
  double goalDb = 0, goalAgreement = 99, price = 1.3, rescuePrice = 2.5;
  double wideRangeHeadroom = 1;
  double winogradMaxLossDb = 3, winogradMaxOutputLossDb = 0.1;
  PerLayer<FloatTrigger> triggerFloatOp;
  PerLayer<SoftmaxTuning> softmaxTuning;
  PrecisionTarget mixedPrecision;
  DecisionThresholds thresholds; ///< Where scores of outputs count.
  bool unifyScalesForConcat = false;
  double unifyScalesForConcatThreshold = 1.05;
  int unifyScalesForConcatMaxDepth = 20;
  PerLayer<std::vector<ScaleUnion>> unifyScales;
  PerLayer<bool> unifyScalesForKvcConcat;
  std::vector<int> qinvariantStartNodes; ///< layer_ids.
  std::string minCompatibleTarget;       ///< Z1 ... X3S.

  // [Optimizer]: calibration
  PerLayer<CalibrationStrategy> calibrationStrategyForWeight,
      calibrationStrategyForActivation;
  PerLayer<double> runningStatisticMomentum;
  PerLayer<int> histcBins;
  PerLayer<ValueTrim> trimInfinity;
  std::string statisticFile;
  std::string encodings; ///< Scales of tensors, of AIMET.
  bool saveStatisticInfo = false;
  bool ignoreMissingStatistic = false;
  std::vector<GlobalCalibration> globalCalibration;

  // [Optimizer]: debugging
  int similarityDataNum = 1;
  bool writeSimilarityToIr = false, recordDebugAccInfo = false;
  bool dumpTensors = false; ///< dump of [Optimizer]
  std::string dumpDir;
  std::vector<LayerRange> fakeQuantScopes;
  std::vector<std::string> fakeQuantOperators; ///< Layer types.

  std::vector<OptLayer> optLayers; ///< In the order of the file.

  // [GBuilder]
  std::string target; ///< "" if the file names none.
  std::vector<std::string> inputs, outputs;
  bool profile = false, dump = false;
  Tiling tiling = Tiling::Default;
  std::vector<std::string> disabledPasses;

  // [AutoQuantizationTool] of older tools; already taken over to the keys
  // above.
  std::string oldQuantizeMethod, oldQuantPrecision, oldDatasetName;
  std::vector<std::string> oldOpsPerChannel; ///< Layer types.
  int oldLabelIdOffset = 0;

  /// Where each key was given, a line or an option, by "section.key" in the
  /// sections' own spelling: "Optimizer.weight_bits".
  std::map<std::string, Place, std::less<>> places;
  /// Of [Optimizer], what no user has chosen but a recipe.
  std::set<std::string, std::less<>> recipeKeys;
  /// What was given, as it was written.
  std::map<std::string, std::string, std::less<>> texts;
  bool isSet(std::string_view key) const { return places.contains(key); }
  /// For problems that are found when a setting is used: where the key was
  /// given, or the file.
  Place place(std::string_view key) const;
};

/// A key that an option of the command line sets: --set weight_bits=4, or an
/// option of its own. It is read as the line of the file that it stands for,
/// and replaces the file's own.
struct ConfigSetting {
  std::string section; ///< "Optimizer" for whatever the file calls it.
  std::string key, value;
  std::string option; ///< "--set weight_bits=4", where problems are.
  /// Paths begin where the command was called, not at the file.
  bool startsAtCaller = false;
};

/// "weight_bits=4" or "GBuilder.profile=True". Nullopt without a key or '='.
std::optional<ConfigSetting> parseSetting(std::string_view text);

struct ConfigOptions {
  /// Unknown keys become part of the note on keys without effect.
  bool allowUnknown = false;
  /// The graph is an error if missing; false if the command line gives one.
  bool needsGraph = true;
  /// The graph is the source model of [Parser], whatever else there is.
  bool importsModel = false;
  std::vector<ConfigSetting> settings;
};

/// Reads the file at \p path. Reports all problems; nullopt if one is an error.
std::optional<BuildConfig> readBuildConfig(const std::string &path,
                                           const ConfigOptions &options,
                                           DiagnosticEngine &diags);
/// The same from text; \p path is where it is said to be.
std::optional<BuildConfig> parseBuildConfig(std::string_view text,
                                            const std::string &path,
                                            const ConfigOptions &options,
                                            DiagnosticEngine &diags);

/// What an empty file asks for.
BuildConfig defaultBuildConfig();

} // namespace yarrow::config

#endif // YARROW_COMPILER_CONFIG_BUILDCONFIG_H
