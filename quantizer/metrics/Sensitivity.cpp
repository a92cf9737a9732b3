//===- Sensitivity.cpp - What each layer's error does to the outputs ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/metrics/Sensitivity.h"

#include "dialects/compass/MlirDiagnostics.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/Traits.h"
#include "dialects/compass/graph/GraphOps.h"
#include "dialects/compass/graph/Graphs.h"
#include "dialects/compass/movement/MovementOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "quantizer/calibrate/TensorValues.h"
#include "quantizer/metrics/LoneLayers.h"
#include "quantizer/metrics/SampledNetwork.h"
#include "support/ThreadPool.h"
#include "support/diagnostics/Operators.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>
#include <cmath>
#include <deque>

using namespace yarrow;
using namespace yarrow::compass;

namespace {

/// A layer's results with its error in them.
struct Changes {
  /// Other values of tensors, as the float network stores them.
  std::vector<std::pair<mlir::Value, TensorBytes>> tensors;
  double ownSquares = 0, storedSquares = 0; ///< As of LayerLoss.

  void addTo(LayerLoss &loss) const {
    loss.ownSquares += ownSquares;
    loss.storedSquares += storedSquares;
  }
};

/// The float network's layers, each by itself, and its tensors by name.
struct FloatLayersByName {
  llvm::StringMap<mlir::Value> tensors;
  llvm::DenseMap<mlir::Operation *, BoundProgram> programs;

  bool create(mlir::ModuleOp module) {
    bool ok = true;
    for (mlir::Operation &op :
         mainGraph(module).getBody().front().without_terminator()) {
      for (mlir::Value v : op.getResults())
        tensors[tensorNameOf(v)] = v;
      if (op.getNumOperands() == 0)
        continue;
      auto program = BoundProgram::create(&op);
      ok &= mlir::succeeded(program);
      if (mlir::succeeded(program) && program->getProgram().graphs().empty())
        programs.try_emplace(&op, std::move(*program));
    }
    return ok;
  }
  /// Null if \p v has no counterpart of its size.
  mlir::Value counterpart(mlir::Value v) const {
    mlir::Value found = tensors.lookup(tensorNameOf(v));
    return found && describe(found).numElements() == describe(v).numElements()
               ? found
               : nullptr;
  }
};

/// One of the networks that are studied.
struct Studied {
  LoneLayers layers;
  TensorsByValue constants;
  std::vector<mlir::Value> sources; ///< Inputs and constants.
};

class Study {
public:
  explicit Study(const SensitivityTask &task) : task(task) {}

  bool create(DiagnosticEngine &diags);
  /// Null, or a layer whose loop does not end. By network.
  EvaluationStop runSample(std::size_t index,
                           std::vector<LayerLosses> &losses) const;

private:
  Changes changesOf(mlir::Operation *op, llvm::ArrayRef<TensorBytes> operands,
                    llvm::ArrayRef<TensorBytes> results,
                    const TensorsOfRun &kept) const;
  Changes changesOfSource(mlir::Value source, const TensorsOfRun &kept) const;
  /// What comes of \p changes at the outputs.
  EvaluationStop addLoss(std::size_t index, const Changes &changes,
                         const TensorsOfRun &kept, LayerLosses &losses) const;

  const SensitivityTask &task;
  SampledNetwork network;
  FloatLayersByName floats;
  std::deque<Studied> studied; ///< They cannot be moved.
};

} // namespace

bool Study::create(DiagnosticEngine &diags) {
  mlir::ModuleOp floating = task.floating;
  DiagnosticForwarder forward(floating.getContext(), diags,
                              diag::OpUnsupported);
  if (!network.create(task.floating, task.arrays, diags) ||
      !floats.create(task.floating))
    return false;
  for (mlir::ModuleOp module : task.networks) {
    auto layers = LoneLayers::create(module);
    if (!layers)
      return false;
    Studied &one = studied.emplace_back();
    one.layers = std::move(*layers);
    for (mlir::Operation &op : mainGraph(module).getBody().front()) {
      if (auto constant = llvm::dyn_cast<ConstantOp>(op)) {
        TensorBytesRef bytes = viewConstant(*constant.getWeights())->bytes;
        one.constants[op.getResult(0)] =
            TensorBytes(bytes.begin(), bytes.end());
      }
      if (recordOf(&op) && op.getNumOperands() == 0)
        for (mlir::Value v : op.getResults())
          one.sources.push_back(v);
    }
  }
  return true;
}

static FloatValues valuesOf(mlir::Value v, const TensorsOfRun &kept) {
  return {v, kept.find(v)->second.ref()};
}

/// The square of what \p x loses by being stored, on average: a twelfth of a
/// step's square, and how far it is beyond the range.
static double storedSquares(const TensorInfo &info, double x) {
  if (!info.isQuantized())
    return 0;
  double low = (double(info.lo) + info.zp) / info.scale,
         high = (double(info.hi) + info.zp) / info.scale,
         beyond = x - std::clamp(x, low, high);
  return beyond * beyond + 1 / (12.0 * info.scale * info.scale);
}

/// \p base and what \p computed, stored as \p stored, differs from
/// \p expected.
static void addChange(mlir::Value v, const TensorInfo &stored,
                      std::span<const float> base,
                      std::span<const float> computed,
                      std::span<const float> expected, Changes &changes) {
  std::vector<float> changed(base.begin(), base.end());
  bool differs = false;
  for (std::size_t i = 0; i < changed.size(); ++i) {
    float error = computed[i] - expected[i];
    if (!std::isfinite(error)) // of a mask, whose infinity is no error
      continue;
    differs |= error != 0;
    changed[i] += error;
    changes.ownSquares += double(error) * error;
    changes.storedSquares += storedSquares(stored, expected[i]);
  }
  if (differs)
    changes.tensors.push_back({v, storedValues(describe(v), changed)});
}

Changes Study::changesOf(mlir::Operation *op,
                         llvm::ArrayRef<TensorBytes> operands,
                         llvm::ArrayRef<TensorBytes> results,
                         const TensorsOfRun &kept) const {
  Changes changes;
  mlir::Operation *original =
      floats.counterpart(op->getResult(0)).getDefiningOp();
  const BoundProgram &program = floats.programs.find(original)->second;
  // What the float layer makes of the same inputs.
  std::vector<TensorBytes> inputs, outputs;
  std::vector<const char *> from;
  std::vector<char *> to;
  for (auto [v, stored, bytes] :
       llvm::zip_equal(op->getOperands(), original->getOperands(), operands))
    inputs.push_back(
        storedValues(describe(stored), FloatValues(v, bytes).get()));
  for (mlir::Value v : original->getResults())
    outputs.emplace_back(describe(v).sizeBytes());
  for (TensorBytes &bytes : inputs)
    from.push_back(bytes.data());
  for (TensorBytes &bytes : outputs)
    to.push_back(bytes.data());
  if (!program.run(from, to))
    return changes;
  for (auto [v, whole, bytes, expected] : llvm::zip_equal(
           op->getResults(), original->getResults(), results, outputs))
    if (describe(whole).isFloat())
      addChange(whole, describe(v), valuesOf(whole, kept).get(),
                FloatValues(v, bytes).get(), FloatValues(whole, expected).get(),
                changes);
  return changes;
}

Changes Study::changesOfSource(mlir::Value source,
                               const TensorsOfRun &kept) const {
  Changes changes;
  mlir::Value original = floats.counterpart(source);
  if (!original || !describe(source).isQuantized() ||
      !describe(original).isFloat())
    return changes;
  FloatValues real = valuesOf(original, kept);
  std::vector<char> stored = storedValues(describe(source), real.get());
  addChange(original, describe(source), real.get(),
            FloatValues(source, stored).get(), real.get(), changes);
  return changes;
}

EvaluationStop Study::addLoss(std::size_t index, const Changes &changes,
                              const TensorsOfRun &kept,
                              LayerLosses &losses) const {
  std::vector<std::pair<mlir::Value, TensorBytesRef>> changed(
      changes.tensors.begin(), changes.tensors.end());
  std::vector<TensorBytes> outputs;
  if (EvaluationStop stop = network.evaluator->rerun(kept, changed, outputs))
    return stop;
  LayerLoss &loss = losses[changes.tensors.front().first.getDefiningOp()];
  loss.merge(task.judge.lossOf(
      index, realTensors(network.evaluator->outputs(), outputs)));
  changes.addTo(loss);
  return {};
}

/// Whether the float layer can compute what \p op does, tensor by tensor.
static bool isSameLayer(mlir::Operation *op, mlir::Operation *original) {
  auto isAlike = [](auto pair) {
    auto [a, b] = pair;
    return describe(a).numElements() == describe(b).numElements();
  };
  return op->getNumOperands() == original->getNumOperands() &&
         op->getNumResults() == original->getNumResults() &&
         llvm::all_of(llvm::zip(op->getOperands(), original->getOperands()),
                      isAlike) &&
         llvm::all_of(llvm::zip(op->getResults(), original->getResults()),
                      isAlike) &&
         llvm::all_of(original->getResults(), [](mlir::Value v) {
           return !describe(v).isFloat() || describe(v).dtype == DType::F32;
         });
}

EvaluationStop Study::runSample(std::size_t index,
                                std::vector<LayerLosses> &losses) const {
  TensorsOfRun kept;
  mlir::Value output = network.evaluator->outputs().front();
  mlir::Block *mainBlock = output.getParentBlock();
  auto keep = [&](mlir::Value v, TensorBytesRef bytes) {
    if (v.getParentBlock() == mainBlock)
      kept[v] = AlignedBuffer::copyOf(bytes);
  };
  std::vector<TensorBytes> outputs;
  if (EvaluationStop stop =
          network.run(task.judge.sampleOf(index), outputs, keep))
    return stop;
  OutputLoss nothing = task.judge.lossOf(
      index, realTensors(network.evaluator->outputs(), outputs));
  EvaluationStop stop;
  auto signalOf = [&](mlir::Value v) {
    mlir::Value original = floats.counterpart(v);
    // Integers of the float network are indices, which layers take as they are.
    return original && describe(original).dtype == DType::F32
               ? valuesOf(original, kept).get()
               : std::span<const float>();
  };
  for (auto [one, loss] : llvm::zip_equal(studied, losses)) {
    auto add = [&](mlir::Operation *original, const Changes &changes) {
      if (stop)
        return;
      if (changes.tensors.empty())
        loss[original].merge(nothing);
      else
        stop = addLoss(index, changes, kept, loss);
    };
    for (mlir::Value source : one.sources)
      if (mlir::Value original = floats.counterpart(source))
        add(original.getDefiningOp(), changesOfSource(source, kept));
    one.layers.compute(
        signalOf, one.constants,
        [&](mlir::Operation *op, llvm::ArrayRef<TensorBytes> operands,
            llvm::ArrayRef<TensorBytes> results) {
          mlir::Value original = floats.counterpart(op->getResult(0));
          mlir::Operation *layer =
              original ? original.getDefiningOp() : nullptr;
          if (layer && floats.programs.count(layer) &&
              hasErrorOfItsOwn(layer) && isSameLayer(op, layer))
            add(layer, changesOf(op, operands, results, kept));
        });
  }
  return stop;
}

bool yarrow::hasErrorOfItsOwn(mlir::Operation *layer) {
  return !layer->hasTrait<trait::MovesOnly>() || llvm::isa<ConcatOp>(layer);
}

std::optional<std::vector<LayerLosses>>
yarrow::measureSensitivity(const SensitivityTask &task,
                           DiagnosticEngine &diags) {
  Study study(task);
  if (!study.create(diags))
    return std::nullopt;
  std::vector<LayerLosses> total(task.networks.size());
  std::size_t count = std::min(task.maxSamples, task.judge.count());
  // All tensors of a run are in memory: few runs at a time.
  std::size_t group = std::max<std::size_t>(4, defaultThreadCount());
  for (std::size_t first = 0; first < count; first += group) {
    if (first && task.isOutOfTime())
      break;
    std::size_t size = std::min(group, count - first);
    std::vector<std::vector<LayerLosses>> perSample(
        size, std::vector<LayerLosses>(task.networks.size()));
    std::vector<EvaluationStop> stops(size);
    parallelFor(size, [&](std::size_t i) {
      std::size_t index = (first + i) * task.judge.count() / count;
      stops[i] = study.runSample(index, perSample[i]);
    });
    for (std::size_t i = 0; i < size; ++i) {
      if (stops[i]) {
        stops[i].report(diags);
        return std::nullopt;
      }
      // In the samples' order, whatever the number of threads.
      for (std::size_t n = 0; n < total.size(); ++n)
        for (auto &[layer, loss] : perSample[i][n])
          total[n][layer].mergeLayer(loss);
    }
    if (task.progress)
      task.progress(first + size, count);
  }
  return total;
}

void yarrow::addSensitivity(const LayerLosses &losses,
                            std::vector<TensorMetric> &metrics) {
  llvm::StringMap<const OutputLoss *> byTensor;
  for (const auto &[layer, loss] : losses)
    byTensor[tensorNameOf(layer->getResult(0))] = &loss;
  for (TensorMetric &metric : metrics)
    if (const OutputLoss *loss = byTensor.lookup(metric.tensor))
      metric.alone = *loss;
}
