//===- CompareNetworks.cpp - What quantization costs, layer by layer ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/ChannelFactors.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/Traits.h"
#include "dialects/compass/graph/Graphs.h"
#include "dialects/compass/graph/ModelNames.h"
#include "dialects/compass/graph/States.h"
#include "quantizer/calibrate/TensorValues.h"
#include "quantizer/masks/MaskConstants.h"
#include "quantizer/metrics/LoneLayers.h"
#include "quantizer/metrics/Metrics.h"
#include "quantizer/metrics/SampledNetwork.h"
#include "support/ThreadPool.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>
#include <deque>
#include <limits>

using namespace yarrow;
using namespace yarrow::compass;

/// What a layer loses by itself takes as long to compute as all the network's
/// rest: large networks do it on as many samples as have so many values, and
/// on a few at least.
static constexpr uint64_t kMostOwnValues = uint64_t(1) << 22;
static constexpr std::size_t kLeastOwnSamples = 4;

namespace {

/// What one sample tells of a tensor.
struct TensorErrors {
  Similarity network, own;
  uint64_t clipped = 0, values = 0;
  ScoreRows scores;
  DecisionSides sides;
  ColumnLoss columns;
  ValueHistogram histogram;
  ErrorParts parts;
};

/// The float network's tensors in one sample, and how integer layers get them.
class Signals {
public:
  explicit Signals(std::size_t count) : signals(count) {}

  void set(std::size_t number, std::span<const float> values) {
    signals[number].assign(values.begin(), values.end());
  }
  /// The float tensor; empty if there is none of so many elements: a layer that
  /// clean-up changed has another shape, or no counterpart.
  std::span<const float> of(std::size_t number, std::size_t elements) const {
    return signals[number].size() == elements ? std::span(signals[number])
                                              : std::span<const float>();
  }

private:
  std::vector<std::vector<float>> signals;
};

class Comparison {
public:
  Comparison(mlir::ModuleOp floatModule, mlir::ModuleOp intModule,
             CompareDetail detail, const DecisionThresholds &thresholds,
             DiagnosticEngine &diags)
      : floatModule(floatModule), intModule(intModule), detail(detail),
        diags(diags), givenThresholds(thresholds) {}

  std::optional<std::vector<TensorMetric>>
  run(const std::vector<NpyView> &arrays, std::size_t maxSamples);

private:
  void listTensors();
  void collectSplits();
  void addParts(mlir::Value v, std::span<const float> values,
                const Signals &signals, const Signals &reals,
                std::vector<TensorErrors> &errors) const;
  /// Null, or a layer whose loop does not end.
  EvaluationStop compareSample(std::size_t sample, bool isOwnWanted,
                               std::vector<TensorErrors> &errors) const;
  std::size_t ownSamples(std::size_t count) const;
  void addOwnErrors(const Signals &signals, const TensorsByValue &constants,
                    std::vector<TensorErrors> &errors) const;
  void compareOutput(std::size_t number, mlir::Value v,
                     std::span<const float> signal,
                     std::span<const float> values, TensorErrors &errors) const;
  /// The number of a tensor that is compared.
  std::optional<std::size_t> numberOf(mlir::Value v) const {
    auto it = numbers.find(tensorNameOf(v));
    if (it == numbers.end() ||
        (detail == CompareDetail::Outputs && !metrics[it->second].isOutput))
      return std::nullopt;
    return it->second;
  }

  mlir::ModuleOp floatModule, intModule;
  CompareDetail detail;
  DiagnosticEngine &diags;
  SampledNetwork floatRun, intRun;
  std::vector<TensorMetric> metrics;
  llvm::StringMap<std::size_t> numbers; ///< By name of the tensor.
  /// Of the float network's outputs, by number.
  llvm::DenseMap<std::size_t, RowShape> rowShapes;
  const DecisionThresholds &givenThresholds;
  /// By number, where there is one.
  llvm::DenseMap<std::size_t, double> thresholds;
  LoneLayers loneLayers;
  /// By the integer layer's result.
  llvm::DenseMap<mlir::Value, SplitLayer> splits;
  std::vector<bool> isSplitInput; ///< By number.
  std::vector<bool> isRepeated;   ///< Those of sub-graphs, by number.
  /// Results of integer layers whose channels have factors, by number.
  llvm::DenseMap<std::size_t, mlir::Value> scaledChannels;
};

} // namespace

/// Whether a layer that \p output is made of chooses by real numbers.
static bool followsChoice(mlir::Value output) {
  llvm::SetVector<mlir::Operation *> makers;
  auto add = [&](mlir::Value value) {
    if (mlir::Operation *maker = value.getDefiningOp())
      makers.insert(maker);
  };
  add(output);
  for (std::size_t i = 0; i < makers.size(); ++i) {
    if (makers[i]->hasTrait<trait::Decides>())
      return true;
    llvm::for_each(makers[i]->getOperands(), add);
  }
  return false;
}

void Comparison::listTensors() {
  // Ids are the float network's; quantization adds layers, which have none.
  llvm::StringMap<int64_t> ids;
  floatModule.walk([&](mlir::Operation *op) {
    if (auto id = op->getAttrOfType<mlir::IntegerAttr>(kLayerIdAttr))
      for (mlir::Value v : op->getResults())
        ids[tensorNameOf(v)] = id.getInt();
  });
  intModule.walk([&](mlir::Operation *op) {
    const OperatorRecord *record = recordOf(op);
    if (!record)
      return;
    for (mlir::Value v : op->getResults()) {
      TensorInfo info = describe(v);
      TensorMetric m;
      m.layer = layerNameOf(op).str();
      m.layerType = record->layerType.str();
      m.tensor = tensorNameOf(v);
      m.dtype = dtypeName(info.storedType()).str();
      m.scale = info.scale;
      m.zp = info.zp;
      if (info.isQuantized()) {
        m.rangeMin = (double(info.lo) + info.zp) / info.scale;
        m.rangeMax = (double(info.hi) + info.zp) / info.scale;
      }
      if (auto it = ids.find(m.tensor); it != ids.end())
        m.layerId = it->second;
      // What a sub-graph gives is no output of the network, and may be computed
      // again and again.
      bool isInMain = isMainGraph(op->getParentOfType<mlir::func::FuncOp>());
      m.isOutput =
          isInMain && llvm::any_of(v.getUsers(), [](mlir::Operation *user) {
            return !recordOf(user);
          });
      isRepeated.push_back(!isInMain);
      if (hasChannelFactors(v))
        scaledChannels[metrics.size()] = v;
      numbers[m.tensor] = metrics.size();
      metrics.push_back(std::move(m));
    }
  });
  for (auto [v, name] : llvm::zip_equal(graphOutputs(mainGraph(intModule)),
                                        outputNames(intModule)))
    if (auto it = numbers.find(tensorNameOf(v)); it != numbers.end())
      metrics[it->second].output = name;
  // What a state becomes is no answer to anybody.
  for (mlir::Value output : callerOutputValues(mainGraph(floatModule)))
    if (auto number = numberOf(output)) {
      rowShapes[*number] = rowShapeOf(output);
      if (auto threshold = decisionThreshold(output, metrics[*number].output,
                                             givenThresholds))
        thresholds[*number] = *threshold;
      metrics[*number].isChosen = followsChoice(output);
    }
}

void Comparison::collectSplits() {
  llvm::StringMap<mlir::Operation *> floatLayers;
  floatModule.walk([&](mlir::Operation *op) {
    if (recordOf(op) && op->getNumResults() == 1)
      floatLayers[tensorNameOf(op->getResult(0))] = op;
  });
  isSplitInput.resize(metrics.size());
  intModule.walk([&](mlir::Operation *op) {
    if (!recordOf(op) || op->getNumResults() != 1)
      return;
    mlir::Value result = op->getResult(0);
    mlir::Operation *original = floatLayers.lookup(tensorNameOf(result));
    auto split = original ? SplitLayer::create(original, op) : std::nullopt;
    auto input = split ? numberOf(op->getOperand(0)) : std::nullopt;
    if (!input)
      return;
    splits.try_emplace(result, std::move(*split));
    isSplitInput[*input] = true;
  });
}

void Comparison::addParts(mlir::Value v, std::span<const float> values,
                          const Signals &signals, const Signals &reals,
                          std::vector<TensorErrors> &errors) const {
  auto split = splits.find(v);
  if (split == splits.end())
    return;
  mlir::Value input = v.getDefiningOp()->getOperand(0);
  std::span<const float> signal = signals.of(*numberOf(v), values.size()),
                         real = reals.of(
                             *numberOf(input),
                             std::size_t(describe(input).numElements()));
  if (!signal.empty() && !real.empty())
    split->second.add(real, signal, values, errors[*numberOf(v)].parts);
}

/// \p values without the size of what is masked, which counts for nothing;
/// \p limited holds them if there are such.
static std::span<const float> unmasked(mlir::Value v,
                                       std::span<const float> values,
                                       std::vector<float> &limited) {
  mlir::Operation *op = v.getDefiningOp();
  auto range =
      op ? op->getAttrOfType<mlir::DenseF32ArrayAttr>(kUnmaskedAttr) : nullptr;
  if (!range)
    return values;
  limited.assign(values.begin(), values.end());
  for (float &x : limited)
    x = std::clamp(x, range[0], range[1]);
  return limited;
}

/// How many values of \p signal a tensor's integers cannot stand for.
static uint64_t clippedOf(const TensorInfo &info,
                          std::span<const float> signal) {
  if (!info.isQuantized())
    return 0;
  double lo = double(info.lo) - 0.5, hi = double(info.hi) + 0.5;
  return uint64_t(llvm::count_if(signal, [&](float x) {
    double q = double(x) * info.scale - info.zp;
    return q < lo || q > hi;
  }));
}

void Comparison::addOwnErrors(const Signals &signals,
                              const TensorsByValue &constants,
                              std::vector<TensorErrors> &errors) const {
  auto signalOf = [&](mlir::Value v) {
    auto number = numberOf(v);
    return number ? signals.of(*number, std::size_t(describe(v).numElements()))
                  : std::span<const float>();
  };
  loneLayers.compute(signalOf, constants,
                     [&](mlir::Operation *op, llvm::ArrayRef<TensorBytes>,
                         llvm::ArrayRef<TensorBytes> results) {
                       // A move has lost nothing but what its input's type has.
                       if (op->hasTrait<trait::MovesOnly>())
                         return;
                       for (auto [v, bytes] :
                            llvm::zip(op->getResults(), results)) {
                         std::span<const float> signal = signalOf(v);
                         if (signal.empty())
                           continue;
                         TensorErrors &error = errors[*numberOf(v)];
                         error.own.add(signal, FloatValues(v, bytes).get());
                         error.clipped += clippedOf(describe(v), signal);
                         error.values += signal.size();
                       }
                     });
}

void Comparison::compareOutput(std::size_t number, mlir::Value v,
                               std::span<const float> signal,
                               std::span<const float> values,
                               TensorErrors &errors) const {
  errors.scores = ScoreRows(rowShapes.lookup(number));
  errors.scores.add(signal, values);
  if (auto threshold = thresholds.find(number); threshold != thresholds.end())
    errors.sides.add(threshold->second, signal, values);
  errors.columns = ColumnLoss(describe(v).shape);
  errors.columns.add(signal, values);
}

EvaluationStop
Comparison::compareSample(std::size_t sample, bool isOwnWanted,
                          std::vector<TensorErrors> &errors) const {
  Signals signals(metrics.size()), reals(metrics.size());
  TensorsByValue constants;
  // Of each iteration of a loop, which the integer one is compared with.
  llvm::DenseMap<std::size_t, std::deque<std::vector<float>>> iterations;
  std::vector<float> limited;
  auto keep = [&](mlir::Value v, TensorBytesRef bytes) {
    auto number = numberOf(v);
    if (!number)
      return;
    FloatValues values(v, bytes);
    std::span<const float> signal = unmasked(v, values.get(), limited);
    std::vector<float> scaled;
    if (mlir::Value other = scaledChannels.lookup(*number)) {
      scaled.assign(signal.begin(), signal.end());
      toChannelsOf(other, scaled);
      signal = scaled;
    }
    signals.set(*number, signal);
    if (isRepeated[*number])
      iterations[*number].emplace_back(values.get().begin(),
                                       values.get().end());
    if (detail == CompareDetail::Causes)
      errors[*number].histogram.add(values.get());
  };
  auto compare = [&](mlir::Value v, TensorBytesRef bytes) {
    if (auto number = numberOf(v)) {
      FloatValues values(v, bytes);
      std::span<const float> signal = signals.of(*number, values.get().size());
      std::vector<float> own;
      if (isRepeated[*number]) {
        std::deque<std::vector<float>> &left = iterations[*number];
        if (!left.empty()) {
          own = std::move(left.front());
          left.pop_front();
        }
        signal = own.size() == values.get().size() ? std::span<const float>(own)
                                                   : std::span<const float>();
      }
      if (!signal.empty())
        errors[*number].network.add(signal, values.get());
      if (!signal.empty() && metrics[*number].isOutput)
        compareOutput(*number, v, signal, values.get(), errors[*number]);
      if (detail == CompareDetail::Causes) {
        if (isSplitInput[*number])
          reals.set(*number, values.get());
        addParts(v, values.get(), signals, reals, errors);
      }
    }
    mlir::Operation *maker = v.getDefiningOp();
    if (detail != CompareDetail::Outputs && maker &&
        maker->getNumOperands() == 0)
      constants[v] = TensorBytes(bytes.begin(), bytes.end());
  };
  std::vector<TensorBytes> outputs;
  if (EvaluationStop stop = floatRun.run(sample, outputs, keep))
    return stop;
  if (EvaluationStop stop = intRun.run(sample, outputs, compare))
    return stop;
  if (isOwnWanted)
    addOwnErrors(signals, constants, errors);
  return {};
}

/// Of \p count.
std::size_t Comparison::ownSamples(std::size_t count) const {
  uint64_t values = 1;
  mlir::ModuleOp(intModule).walk([&](mlir::Operation *op) {
    for (mlir::Value v : op->getResults())
      if (recordOf(op))
        values += uint64_t(describe(v).numElements());
  });
  return std::min(
      count, std::max<std::size_t>(kMostOwnValues / values, kLeastOwnSamples));
}

std::optional<std::vector<TensorMetric>>
Comparison::run(const std::vector<NpyView> &arrays, std::size_t maxSamples) {
  if (!floatRun.create(floatModule, arrays, diags) ||
      !intRun.create(intModule, arrays, diags))
    return std::nullopt;
  listTensors();
  if (detail == CompareDetail::Causes)
    collectSplits();
  if (detail != CompareDetail::Outputs) {
    std::optional<LoneLayers> layers = LoneLayers::create(intModule);
    if (!layers)
      return std::nullopt;
    loneLayers = std::move(*layers);
  }
  // Quantization changes no shapes: the integer network has as many runs.
  std::size_t count = std::min(maxSamples, floatRun.samples->count());
  std::vector<std::vector<TensorErrors>> perSample(
      count, std::vector<TensorErrors>(metrics.size()));
  std::vector<EvaluationStop> stops(count);
  std::size_t own = ownSamples(count);
  parallelFor(count, [&](std::size_t i) {
    // So many of them, spread over all.
    bool isOwnWanted = i * own / count != (i + 1) * own / count;
    stops[i] = compareSample(floatRun.samples->spread(i, count), isOwnWanted,
                             perSample[i]);
  });
  for (const EvaluationStop &stop : stops)
    if (stop) {
      stop.report(diags);
      return std::nullopt;
    }
  // In the samples' order, whatever the number of threads.
  std::vector<ColumnLoss> columns(metrics.size());
  for (const std::vector<TensorErrors> &sample : perSample)
    for (auto [metric, ofColumns, errors] :
         llvm::zip(metrics, columns, sample)) {
      metric.similarity.merge(errors.network);
      metric.own.merge(errors.own);
      metric.clipped += errors.clipped;
      metric.values += errors.values;
      metric.histogram.merge(errors.histogram);
      metric.parts.merge(errors.parts);
      metric.scores.merge(errors.scores);
      metric.sides.merge(errors.sides);
      ofColumns.merge(errors.columns);
    }
  // What is one row of scores has no columns of another kind.
  for (auto [metric, ofColumns] : llvm::zip(metrics, columns))
    if (!metric.scores.areScores())
      metric.columns = ofColumns.groups();
  return std::move(metrics);
}

std::optional<std::vector<TensorMetric>>
yarrow::compareNetworks(mlir::ModuleOp floatModule, mlir::ModuleOp intModule,
                        const std::vector<NpyView> &arrays,
                        std::size_t maxSamples, DiagnosticEngine &diags,
                        CompareDetail detail,
                        const DecisionThresholds &thresholds) {
  return Comparison(floatModule, intModule, detail, thresholds, diags)
      .run(arrays, maxSamples);
}

double yarrow::outputSqnrDb(const std::vector<TensorMetric> &metrics) {
  double least = std::numeric_limits<double>::infinity();
  for (const TensorMetric &metric : metrics)
    if (metric.isOutput && metric.similarity.count)
      least = std::min(least, metric.similarity.sqnrDb());
  return least;
}
