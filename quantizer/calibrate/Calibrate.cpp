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
#include "dialects/compass/graph/GraphOps.h"
#include "dialects/compass/graph/Graphs.h"
#include "dialects/compass/network/Evaluator.h"
#include "quantizer/calibrate/TensorValues.h"
#include "quantizer/calibrate/UntakenBranches.h"
#include "support/Format.h"
#include "support/Packing.h"
#include "support/ThreadPool.h"
#include "support/diagnostics/Quantizer.h"
#include "support/diagnostics/Settings.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

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
  ObserverOptions options;
  bool needsMoments, needsSecondRun;
  Observer observer;
};

/// The same shuffle on every machine (Fisher and Yates).
std::vector<std::size_t> orderOf(std::size_t count, bool isShuffled) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::mt19937_64 random(0);
  if (isShuffled)
    for (std::size_t left = count; left > 1; --left)
      std::swap(order[left - 1], order[random() % left]);
  return order;
}

class CalibrationRun {
public:
  CalibrationRun(const Evaluator &evaluator, const SampleSet &samples,
                 const QuantizerOptions &options, Ranks *ranks)
      : evaluator(evaluator), samples(samples), options(options), ranks(ranks),
        order(orderOf(samples.count(), options.shufflesSamples)) {}

  void observe(mlir::Value value) {
    numbers[value] = observed.size();
    add(value, value.getDefiningOp(), tensorNameOf(value));
  }
  void observe(mlir::Operation *op, llvm::StringRef intermediate) {
    numbersBetween[{op, intermediate.str()}] = observed.size();
    add({}, op, intermediate.str());
  }

  bool hasSeen(mlir::Value value) const {
    auto it = numbers.find(value);
    return it != numbers.end() && !observed[it->second].observer.isEmpty();
  }

  /// Batches of \p size samples, in their order. False after errors.
  bool runBatches(std::size_t size, const CalibrationProgress &progress,
                  DiagnosticEngine &diags);

  std::vector<Observed> observed;

private:
  void add(mlir::Value value, mlir::Operation *op, std::string name) {
    LayerOptions own = optionsOf(op, options);
    bool all = options.takesAllStatistics;
    observed.push_back({value, op, std::move(name), own.observer,
                        all || own.activationStrategy.needsMoments(),
                        all || own.activationStrategy.needsSecondRun(),
                        Observer(own.activationStrategy, own.observer)});
  }

  using Statistics = std::vector<TensorStatistics>; ///< one per observed value
  /// Runs samples begin .. end as one batch. False after QuantRange.
  bool collectBatch(std::size_t begin, std::size_t end, Statistics &batch,
                    DiagnosticEngine &diags);
  void addBatch(const Statistics &batch);
  bool shareBatches(std::size_t size, const CalibrationProgress &progress,
                    DiagnosticEngine &diags);
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
  Ranks *ranks; ///< Null for one process.
  /// Whether they have parts of each batch, and not batches of their own.
  bool sharesSamples = false;
  std::vector<std::size_t> order; ///< Of the samples.
  llvm::DenseMap<mlir::Value, std::size_t> numbers;
  std::map<std::pair<mlir::Operation *, std::string>, std::size_t>
      numbersBetween;
};

} // namespace

/// The statistics of samples or batches that other processes have taken.
static bool exchangeStatistics(Ranks &ranks,
                               std::vector<std::vector<TensorStatistics>> &all,
                               llvm::function_ref<bool(std::size_t)> isOwn) {
  Packer own;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (TensorStatistics &s : all[i])
      if (isOwn(i))
        packStatistics(own(i), s);
  std::vector<std::string> parts;
  if (!ranks.exchange(own.bytes, parts))
    return false;
  for (const std::string &part : parts) {
    Unpacker in(part);
    for (std::size_t i = 0, n = 0, last = all.size(); !in.atEnd(); last = i) {
      in(i);
      n = i == last ? n + 1 : 0;
      packStatistics(in, all[i][n]);
    }
  }
  return true;
}

template <typename Collect, typename Merge>
bool CalibrationRun::forEachSample(std::size_t begin, std::size_t end,
                                   Collect collect, Merge merge,
                                   DiagnosticEngine &diags) {
  // Chunks bound the memory of the per-sample statistics; their size is fixed,
  // so that the order of merging never depends on the machine.
  constexpr std::size_t kChunk = 16;
  Ranks *sharing = sharesSamples ? ranks : nullptr;
  std::size_t chunk = kChunk * (sharing ? sharing->count() : 1);
  for (std::size_t first = begin; first < end; first += chunk) {
    std::size_t count = std::min(chunk, end - first);
    std::vector<Statistics> perSample(count, Statistics(observed.size()));
    std::vector<EvaluationStop> stops(count);
    auto isOwn = [&](std::size_t i) {
      return !sharing || i / kChunk == sharing->rank();
    };
    parallelFor(count, [&](std::size_t i) {
      if (!isOwn(i))
        return;
      std::vector<std::vector<char>> inputs =
          samples.inputsOf(order[first + i]);
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
        auto it = numbersBetween.find({op, v.name});
        if (it == numbersBetween.end())
          return;
        std::size_t n = it->second;
        collect(n, FloatValues(v.info, bytes).get(), perSample[i][n]);
      };
      bool isWatched = !numbersBetween.empty();
      stops[i] = evaluator.run(
          refs, outputs, onTensor,
          isWatched ? Evaluator::IntermediateCallback(onIntermediate)
                    : nullptr);
    });
    for (const EvaluationStop &stop : stops)
      if (stop) {
        stop.report(diags);
        return false;
      }
    if (sharing && !exchangeStatistics(*sharing, perSample, isOwn))
      return reportRankStopped(diags);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t n = 0; n < observed.size(); ++n)
        if (!merge(order[first + i], n, perSample[i][n]))
          return false;
  }
  return true;
}

/// Whether an infinity that the network has been given is the reason: in a
/// constant, or in a key of the layer.
static bool takesInfinity(mlir::Operation *op) {
  auto isInfinite = [](mlir::Attribute attr) {
    auto number = numberOf(attr);
    return number && std::isinf(*number);
  };
  for (mlir::NamedAttribute named : op->getAttrs())
    if (isInfinite(named.getValue()))
      return true;
  auto holdsInfinity = [](mlir::Operation *maker) {
    auto constant = llvm::dyn_cast_or_null<ConstantOp>(maker);
    auto data = constant ? tensorKey(constant, keys::weights) : nullptr;
    auto view = data ? viewConstant(data) : std::nullopt;
    if (!view || !dtypeIsFloat(view->dtype))
      return false;
    for (int64_t i = 0, e = view->numElements(); i < e; ++i)
      if (std::isinf(view->floatAt(i)))
        return true;
    return false;
  };
  return holdsInfinity(op) ||
         llvm::any_of(op->getOperands(), [&](mlir::Value value) {
           return holdsInfinity(value.getDefiningOp());
         });
}

void CalibrationRun::reportNotFinite(const Observed &where,
                                     const TensorStatistics &what,
                                     std::size_t sample,
                                     DiagnosticEngine &diags) const {
  mlir::Operation *op = where.op;
  diags
      .report(diag::QuantRange, placeOf(op->getLoc()),
              "the float network does not compute finite values for " +
                  where.name)
      .found(formatCount(what.numNotFinite) + " of " + formatCount(what.count) +
             " elements are NaN or infinite in sample " +
             std::to_string(sample) + ", the first one at index " +
             std::to_string(what.firstNotFinite))
      .expected("finite values, for which a scale exists")
      .hint(takesInfinity(op)
                ? "set enable_pass_detect_inf_mask_nodes if only a Softmax, a "
                  "maximum, a Relu or a Sigmoid reads masked numbers; "
                  "otherwise mask with a finite number"
                : "this is the first of these layers: its inputs are finite");
}

bool CalibrationRun::collectBatch(std::size_t begin, std::size_t end,
                                  Statistics &batch, DiagnosticEngine &diags) {
  batch.assign(observed.size(), {});
  bool isUsable = forEachSample(
      begin, end,
      [&](std::size_t n, std::span<const float> values, TensorStatistics &s) {
        // A value between kernels may be made in several steps.
        TensorStatistics one = collectStatistics(
            values, observed[n].needsMoments, observed[n].options.trim);
        if (one.numNotFinite)
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
  for (TensorStatistics &s : batch)
    completeBatch(s);
  bool secondRun =
      std::any_of(observed.begin(), observed.end(),
                  [](const Observed &o) { return o.needsSecondRun; });
  if (secondRun) {
    Statistics deviations(observed.size());
    forEachSample(
        begin, end,
        [&](std::size_t n, std::span<const float> values, TensorStatistics &s) {
          if (observed[n].needsSecondRun)
            collectDeviations(values, batch[n],
                              observed[n].options.histogramBins, s,
                              observed[n].options.trim);
        },
        [&](std::size_t, std::size_t n, const TensorStatistics &s) {
          mergeDeviations(deviations[n], s);
          return true;
        },
        diags);
    for (std::size_t n = 0; n < observed.size(); ++n)
      mergeDeviations(batch[n], deviations[n]);
  }
  return true;
}

void CalibrationRun::addBatch(const Statistics &batch) {
  for (std::size_t n = 0; n < observed.size(); ++n)
    observed[n].observer.addBatch(batch[n]);
}

bool CalibrationRun::runBatches(std::size_t size,
                                const CalibrationProgress &progress,
                                DiagnosticEngine &diags) {
  sharesSamples = ranks && size >= ranks->count();
  if (ranks && !sharesSamples)
    return shareBatches(size, progress, diags);
  Statistics batch;
  for (std::size_t begin = 0; begin < samples.count(); begin += size) {
    std::size_t end = std::min(begin + size, samples.count());
    if (!collectBatch(begin, end, batch, diags))
      return false;
    addBatch(batch);
    if (progress)
      progress(end, samples.count());
  }
  return true;
}

/// Batches that are smaller than the number of processes: each has some of a
/// round's, and all add all of them in their order.
bool CalibrationRun::shareBatches(std::size_t size,
                                  const CalibrationProgress &progress,
                                  DiagnosticEngine &diags) {
  constexpr std::size_t kBatchesPerPart = 16;
  std::size_t batches = (samples.count() + size - 1) / size;
  std::size_t round = kBatchesPerPart * ranks->count();
  for (std::size_t first = 0; first < batches; first += round) {
    std::size_t count = std::min(round, batches - first);
    std::vector<Statistics> perBatch(count, Statistics(observed.size()));
    auto isOwn = [&](std::size_t i) {
      return i / kBatchesPerPart == ranks->rank();
    };
    for (std::size_t i = 0; i < count; ++i) {
      std::size_t begin = (first + i) * size;
      if (isOwn(i) &&
          !collectBatch(begin, std::min(begin + size, samples.count()),
                        perBatch[i], diags))
        return false;
    }
    if (!exchangeStatistics(*ranks, perBatch, isOwn))
      return reportRankStopped(diags);
    for (const Statistics &batch : perBatch)
      addBatch(batch);
    if (progress)
      progress(std::min((first + count) * size, samples.count()),
               samples.count());
  }
  return true;
}

/// Observes the branches of Ifs that no sample of \p run takes, in copies of
/// the network where they do. False after errors.
static bool observeUntaken(mlir::ModuleOp module, CalibrationRun &run,
                           const SampleSet &samples,
                           const QuantizerOptions &options, Ranks *ranks,
                           DiagnosticEngine &diags) {
  auto isSeen = [&](mlir::func::FuncOp graph) {
    return run.hasSeen(graphOutputs(graph).front());
  };
  UntakenBranches branches(module);
  while (branches.swap(isSeen)) {
    std::unique_ptr<Evaluator> evaluator =
        Evaluator::create(branches.copy(), diags);
    if (!evaluator)
      return false;
    CalibrationRun other(*evaluator, samples, options, ranks);
    std::vector<Observed *> targets;
    for (Observed &o : run.observed) {
      if (!llvm::is_contained(branches.graphs(),
                              o.op->getParentOfType<mlir::func::FuncOp>()))
        continue;
      targets.push_back(&o);
      if (o.value)
        other.observe(branches.map().lookup(o.value));
      else
        other.observe(branches.map().lookup(o.op), o.name);
    }
    if (!other.runBatches(std::max(1u, options.calibrationBatchSize), {},
                          diags))
      return false;
    for (auto [target, found] : llvm::zip_equal(targets, other.observed))
      target->observer = std::move(found.observer);
    branches.warn(diags);
  }
  return true;
}

std::unique_ptr<Calibration>
Calibration::run(mlir::ModuleOp module, const std::vector<NpyView> &arrays,
                 const QuantizerOptions &options,
                 const CalibrationProgress &progress, DiagnosticEngine &diags,
                 Ranks *ranks) {
  std::unique_ptr<SampleSet> samples = SampleSet::create(module, arrays, diags);
  std::unique_ptr<Evaluator> evaluator = Evaluator::create(module, diags);
  if (!samples || !evaluator)
    return nullptr;
  CalibrationRun run(*evaluator, *samples, options, ranks);
  module.walk([&](mlir::Operation *op) {
    if (recordOf(op))
      for (mlir::Value v : op->getResults())
        run.observe(v);
  });
  for (auto [op, name] : evaluator->intermediates())
    run.observe(op, name);
  std::size_t batch = std::max(1u, options.calibrationBatchSize);
  if (!run.runBatches(batch, progress, diags) ||
      !observeUntaken(module, run, *samples, options, ranks, diags))
    return nullptr;
  auto calibration = std::make_unique<Calibration>();
  calibration->samples = samples->count();
  calibration->batchSize = options.calibrationBatchSize;
  for (Observed &o : run.observed)
    if (o.value)
      calibration->observers.try_emplace(o.value, std::move(o.observer));
    else
      calibration->between.try_emplace({o.op, o.name}, std::move(o.observer));
  calibration->takeRangesInIr(module, options, diags);
  return calibration;
}

} // namespace yarrow
