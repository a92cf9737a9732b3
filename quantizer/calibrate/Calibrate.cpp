//===- Calibrate.cpp - Statistics of every tensor over sample inputs ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/calibrate/Calibrate.h"

#include "dialects/compass/Compass.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/MlirDiagnostics.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/Tensors.h"
#include "dialects/compass/network/Evaluator.h"
#include "quantizer/calibrate/TensorValues.h"
#include "support/Format.h"
#include "support/ThreadPool.h"

#include <algorithm>

using namespace yarrow::compass;

namespace yarrow {

void recordLayerIds(mlir::ModuleOp module) {
  int64_t id = 0;
  mlir::Builder b(module.getContext());
  module.walk([&](mlir::Operation *op) {
    if (recordOf(op))
      op->setAttr(kLayerIdAttr, b.getI64IntegerAttr(id++));
  });
}

LayerOptions optionsOf(mlir::Operation *op, const QuantizerOptions &options) {
  const OperatorRecord *record = recordOf(op);
  auto id = op->getAttrOfType<mlir::IntegerAttr>(kLayerIdAttr);
  return options.forLayer(record ? record->layerType.str() : "",
                          layerNameOf(op).str(),
                          id ? unsigned(id.getInt()) : ~0u);
}

namespace {

/// What the runs of a calibration share.
struct Observed {
  /// A layer's result, or what lies between its kernels, by name.
  mlir::Value value;
  mlir::Operation *op;
  std::string name;
  CalibrationStrategy strategy;
  Observer observer;
};

class CalibrationRun {
public:
  CalibrationRun(const Evaluator &evaluator, const SampleSet &samples,
                 const QuantizerOptions &options)
      : evaluator(evaluator), samples(samples), options(options) {}

  void observe(mlir::Value value) {
    numbers[value] = observed.size();
    add(value, value.getDefiningOp(), tensorNameOf(value));
  }
  void observe(mlir::Operation *op, llvm::StringRef intermediate) {
    numbersBetween[{op, intermediate.str()}] = observed.size();
    add({}, op, intermediate.str());
  }

  /// Runs samples begin .. end as one batch. False after QuantRange.
  bool runBatch(std::size_t begin, std::size_t end, DiagnosticEngine &diags);

  std::vector<Observed> observed;

private:
  void add(mlir::Value value, mlir::Operation *op, std::string name) {
    CalibrationStrategy strategy = optionsOf(op, options).activationStrategy;
    observed.push_back({value, op, std::move(name), strategy,
                        Observer(strategy, options.observer)});
  }

  using Statistics = std::vector<TensorStatistics>; ///< one per observed value
  /// Runs the batch once and gives \p merge, for each sample in their order,
  /// what \p collect makes of each tensor; as long as it returns true.
  template <typename Collect, typename Merge>
  bool forEachSample(std::size_t begin, std::size_t end, Collect collect,
                     Merge merge, DiagnosticEngine &diags);
  /// Of the first tensor that has a value which is not finite.
  void reportNotFinite(const Observed &where, const TensorStatistics &what,
                       std::size_t sample, DiagnosticEngine &diags) const;

  const Evaluator &evaluator;
  const SampleSet &samples;
  const QuantizerOptions &options;
  llvm::DenseMap<mlir::Value, std::size_t> numbers;
  std::map<std::pair<mlir::Operation *, std::string>, std::size_t>
      numbersBetween;
};

} // namespace

template <typename Collect, typename Merge>
bool CalibrationRun::forEachSample(std::size_t begin, std::size_t end,
                                   Collect collect, Merge merge,
                                   DiagnosticEngine &diags) {
  // Chunks bound the memory of the per-sample statistics; their size is fixed,
  // so that the order of merging never depends on the machine.
  constexpr std::size_t kChunk = 16;
  for (std::size_t first = begin; first < end; first += kChunk) {
    std::size_t count = std::min(kChunk, end - first);
    std::vector<Statistics> perSample(count, Statistics(observed.size()));
    std::vector<mlir::Operation *> endless(count);
    parallelFor(count, [&](std::size_t i) {
      std::vector<std::vector<char>> inputs = samples.inputsOf(first + i);
      std::vector<TensorBytesRef> refs(inputs.begin(), inputs.end());
      std::vector<TensorBytes> outputs;
      auto onTensor = [&](mlir::Value v, TensorBytesRef bytes) {
        auto it = numbers.find(v);
        if (it != numbers.end())
          collect(it->second, FloatValues(v, bytes).get(),
                  perSample[i][it->second]);
      };
      auto onIntermediate = [&](mlir::Operation *op, const Intermediate &v,
                                TensorBytesRef bytes) {
        std::size_t n = numbersBetween.at({op, v.name});
        collect(n, FloatValues(v.info, bytes).get(), perSample[i][n]);
      };
      bool isWatched = !numbersBetween.empty();
      endless[i] = evaluator.run(
          refs, outputs, onTensor,
          isWatched ? Evaluator::IntermediateCallback(onIntermediate)
                    : nullptr);
    });
    for (mlir::Operation *layer : endless)
      if (layer) {
        reportEndless(layer, diags);
        return false;
      }
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t n = 0; n < observed.size(); ++n)
        if (!merge(first + i, n, perSample[i][n]))
          return false;
  }
  return true;
}

void CalibrationRun::reportNotFinite(const Observed &where,
                                     const TensorStatistics &what,
                                     std::size_t sample,
                                     DiagnosticEngine &diags) const {
  mlir::Operation *op = where.op;
  diags
      .report(DiagId::QuantRange, placeOf(op->getLoc()),
              "the float network gives no finite values for " + where.name)
      .found(formatCount(what.numNotFinite) + " of " + formatCount(what.count) +
             " elements are NaN or infinite in sample " +
             std::to_string(sample) + ", the first one at index " +
             std::to_string(what.firstNotFinite))
      .expected("finite values: an integer tensor has a scale")
      .hint(op->getNumOperands() == 0
                ? "of masks, a finite number such as -100 has a scale and does "
                  "the same before a Softmax"
                : "it is the first such layer: its inputs and constants are "
                  "finite");
}

bool CalibrationRun::runBatch(std::size_t begin, std::size_t end,
                              DiagnosticEngine &diags) {
  Statistics batch(observed.size());
  bool isUsable = forEachSample(
      begin, end,
      [&](std::size_t n, std::span<const float> values, TensorStatistics &s) {
        // A value between kernels may be made in several steps.
        TensorStatistics one =
            collectStatistics(values, observed[n].strategy.needsMoments());
        if (s.count == 0 || one.numNotFinite)
          s = one;
        else if (!s.numNotFinite)
          mergeStatistics(s, one);
      },
      [&](std::size_t sample, std::size_t n, const TensorStatistics &s) {
        if (s.numNotFinite)
          reportNotFinite(observed[n], s, sample, diags);
        else
          mergeStatistics(batch[n], s);
        return s.numNotFinite == 0;
      },
      diags);
  if (!isUsable)
    return false;
  bool secondRun =
      std::any_of(observed.begin(), observed.end(), [](const Observed &o) {
        return o.strategy.needsSecondRun();
      });
  if (secondRun) {
    Statistics deviations(observed.size());
    forEachSample(
        begin, end,
        [&](std::size_t n, std::span<const float> values, TensorStatistics &s) {
          if (observed[n].strategy.needsSecondRun())
            collectDeviations(values, batch[n], options.observer.histogramBins,
                              s);
        },
        [&](std::size_t, std::size_t n, const TensorStatistics &s) {
          mergeDeviations(deviations[n], s);
          return true;
        },
        diags);
    for (std::size_t n = 0; n < observed.size(); ++n)
      mergeDeviations(batch[n], deviations[n]);
  }
  for (std::size_t n = 0; n < observed.size(); ++n)
    observed[n].observer.addBatch(batch[n]);
  return true;
}

namespace {
/// Names of what the IR gives no range for.
struct Missing {
  std::string first;
  std::size_t count = 0, total = 0;

  void add(bool isThere, llvm::StringRef name) {
    ++total;
    if (isThere || count++)
      return;
    first = name.str();
  }
  void report(const char *key, const char *irKey,
              DiagnosticEngine &diags) const {
    if (!count)
      return;
    diags
        .report(DiagId::ConfigNotApplied, {},
                std::string(key) + " = in_ir is not applied to " +
                    std::to_string(count) + " of " + std::to_string(total) +
                    (total == 1 ? " tensor" : " tensors") + ": the IR has no " +
                    irKey + " for them")
        .found("the first one is " + first)
        .hint("their extrema are taken, as the Compass Optimizer does");
  }
};
} // namespace

static void takeRangesInIr(std::vector<Observed> &observed,
                           const Calibration &calibration,
                           const QuantizerOptions &options,
                           const IrRanges &ranges, mlir::ModuleOp module,
                           DiagnosticEngine &diags) {
  using Kind = CalibrationStrategy::Kind;
  Missing tensors, weights;
  for (Observed &o : observed) {
    if (o.strategy.kind != Kind::InIr || !o.value)
      continue;
    auto range = ranges.ofTensor(o.name);
    if (range)
      o.observer.setRangeInIr(*range);
    tensors.add(range.has_value(), o.name);
  }
  module.walk([&](mlir::Operation *op) {
    if (recordOf(op) && tensorKey(op, "weights") &&
        optionsOf(op, options).weightStrategy.kind == Kind::InIr)
      weights.add(calibration.weightRangeInIr(op).has_value(), layerNameOf(op));
  });
  tensors.report("calibration_strategy_for_activation", "layer_top_range",
                 diags);
  weights.report("calibration_strategy_for_weight",
                 "weights_range (or weights that it would fit)", diags);
}

std::unique_ptr<Calibration>
Calibration::run(mlir::ModuleOp module, const std::vector<NpyView> &arrays,
                 const QuantizerOptions &options,
                 const CalibrationProgress &progress, DiagnosticEngine &diags) {
  std::unique_ptr<SampleSet> samples = SampleSet::create(module, arrays, diags);
  std::unique_ptr<Evaluator> evaluator = Evaluator::create(module, diags);
  if (!samples || !evaluator)
    return nullptr;
  CalibrationRun run(*evaluator, *samples, options);
  module.walk([&](mlir::Operation *op) {
    if (recordOf(op))
      for (mlir::Value v : op->getResults())
        run.observe(v);
  });
  for (auto [op, name] : evaluator->intermediates())
    run.observe(op, name);
  std::size_t batch = std::max(1u, options.calibrationBatchSize);
  for (std::size_t begin = 0; begin < samples->count(); begin += batch) {
    std::size_t end = std::min(begin + batch, samples->count());
    if (!run.runBatch(begin, end, diags))
      return nullptr;
    if (progress)
      progress(end, samples->count());
  }
  auto calibration = std::make_unique<Calibration>();
  calibration->samples = samples->count();
  calibration->rangesInIr = options.rangesInIr;
  if (!calibration->rangesInIr)
    calibration->rangesInIr =
        std::make_shared<const IrRanges>(IrRanges::of(module));
  takeRangesInIr(run.observed, *calibration, options, *calibration->rangesInIr,
                 module, diags);
  for (Observed &o : run.observed)
    if (o.value)
      calibration->observers.try_emplace(o.value, std::move(o.observer));
    else
      calibration->between.try_emplace({o.op, o.name}, std::move(o.observer));
  return calibration;
}

Calibration Calibration::forCopy(const mlir::IRMapping &map) const {
  Calibration copy;
  copy.samples = samples;
  copy.rangesInIr = rangesInIr;
  for (const auto &[value, observer] : observers)
    if (mlir::Value copied = map.lookupOrNull(value))
      copy.observers.try_emplace(copied, observer);
  for (const auto &[where, observer] : between)
    if (mlir::Operation *copied = map.lookupOrNull(where.first))
      copy.between.try_emplace({copied, where.second}, observer);
  return copy;
}

FloatRange Calibration::range(mlir::Value value, unsigned bits,
                              bool symmetric) const {
  auto it = observers.find(value);
  return it == observers.end() ? FloatRange{}
                               : it->second.range(bits, symmetric);
}

FloatRange Calibration::range(mlir::Operation *op, llvm::StringRef intermediate,
                              unsigned bits, bool symmetric) const {
  auto it = between.find({op, intermediate.str()});
  return it == between.end() ? FloatRange{} : it->second.range(bits, symmetric);
}

std::optional<FloatRange>
Calibration::weightRangeInIr(mlir::Operation *op,
                             std::optional<std::size_t> channel) const {
  mlir::ElementsAttr weights = tensorKey(op, "weights");
  if (!weights || !rangesInIr)
    return std::nullopt;
  return rangesInIr->ofWeights(weights, channel);
}

bool Calibration::hasSeen(mlir::Value value) const {
  auto it = observers.find(value);
  return it != observers.end() && !it->second.isEmpty();
}

FloatRange Calibration::extrema(mlir::Value value) const {
  auto it = observers.find(value);
  return it == observers.end() ? FloatRange{} : it->second.extrema();
}

} // namespace yarrow
