//===- CompareNetworks.cpp - What quantization costs, layer by layer ------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/BoundProgram.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/Traits.h"
#include "dialects/compass/graph/Graphs.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "quantizer/calibrate/TensorValues.h"
#include "quantizer/metrics/Metrics.h"
#include "quantizer/metrics/SampledNetwork.h"
#include "support/ThreadPool.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <algorithm>
#include <limits>

using namespace yarrow;
using namespace yarrow::compass;

namespace {

/// A layer of the integer network that can compute alone, and where its results
/// stand in the list of metrics.
struct LoneLayer {
  mlir::Operation *op;
  BoundProgram program;
  std::vector<std::size_t> results;
};

/// What one sample tells of a tensor.
struct TensorErrors {
  Similarity network, own;
  uint64_t clipped = 0, values = 0;
};

using TensorsByValue = llvm::DenseMap<mlir::Value, TensorBytes>;

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
             CompareDetail detail, DiagnosticEngine &diags)
      : floatModule(floatModule), intModule(intModule), detail(detail),
        diags(diags) {}

  std::optional<std::vector<TensorMetric>>
  run(const std::vector<NpyView> &arrays, std::size_t maxSamples);

private:
  void listTensors();
  /// False after a diagnostic.
  bool collectLoneLayers();
  /// Null, or a layer whose loop does not end.
  mlir::Operation *compareSample(std::size_t sample,
                                 std::vector<TensorErrors> &errors) const;
  void addOwnErrors(const Signals &signals, const TensorsByValue &constants,
                    std::vector<TensorErrors> &errors) const;
  /// Operands as the layer stores them: the float network's; constants; and of
  /// layers that quantization added, what they have computed. False if one is
  /// not known.
  bool collectOperands(const LoneLayer &layer, const Signals &signals,
                       const TensorsByValue &constants,
                       const TensorsByValue &computed,
                       std::vector<TensorBytes> &operands) const;
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
  std::vector<LoneLayer> loneLayers;
};

} // namespace

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
      m.dtype = dtypeName(info.dtype).str();
      m.scale = info.scale;
      m.zp = info.zp;
      if (auto it = ids.find(m.tensor); it != ids.end())
        m.layerId = it->second;
      m.isOutput = llvm::any_of(
          v.getUsers(), [](mlir::Operation *user) { return !recordOf(user); });
      numbers[m.tensor] = metrics.size();
      metrics.push_back(std::move(m));
    }
  });
}

bool Comparison::collectLoneLayers() {
  bool ok = true;
  for (mlir::Operation &op :
       mainGraph(intModule).getBody().front().without_terminator()) {
    if (!recordOf(&op) || op.getNumOperands() == 0)
      continue;
    auto program = BoundProgram::create(&op);
    ok &= mlir::succeeded(program);
    if (mlir::failed(program) || !program->getProgram().graphs().empty())
      continue;
    LoneLayer layer{&op, std::move(*program), {}};
    for (mlir::Value v : op.getResults())
      layer.results.push_back(*numberOf(v));
    loneLayers.push_back(std::move(layer));
  }
  return ok;
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

bool Comparison::collectOperands(const LoneLayer &layer, const Signals &signals,
                                 const TensorsByValue &constants,
                                 const TensorsByValue &computed,
                                 std::vector<TensorBytes> &operands) const {
  for (mlir::Value operand : layer.op->getOperands()) {
    TensorInfo info = describe(operand);
    std::span<const float> signal;
    if (auto number = numberOf(operand))
      signal = signals.of(*number, std::size_t(info.numElements()));
    if (auto it = constants.find(operand); it != constants.end())
      operands.push_back(it->second);
    else if (!signal.empty())
      operands.push_back(storedValues(info, signal));
    else if (auto made = computed.find(operand); made != computed.end())
      operands.push_back(made->second);
    else
      return false;
  }
  return true;
}

void Comparison::addOwnErrors(const Signals &signals,
                              const TensorsByValue &constants,
                              std::vector<TensorErrors> &errors) const {
  TensorsByValue computed;
  for (const LoneLayer &layer : loneLayers) {
    std::vector<TensorBytes> operands, results;
    if (!collectOperands(layer, signals, constants, computed, operands))
      continue;
    for (mlir::Value v : layer.op->getResults())
      results.emplace_back(describe(v).sizeBytes());
    std::vector<const char *> from;
    std::vector<char *> to;
    for (TensorBytes &bytes : operands)
      from.push_back(bytes.data());
    for (TensorBytes &bytes : results)
      to.push_back(bytes.data());
    if (!layer.program.run(from, to))
      continue;
    for (auto [v, number, bytes] :
         llvm::zip(layer.op->getResults(), layer.results, results)) {
      FloatValues values(v, bytes);
      std::span<const float> signal = signals.of(number, values.get().size());
      if (signal.empty()) {
        computed[v] = std::move(bytes);
        continue;
      }
      // A move has lost nothing but what its input's type has.
      if (layer.op->hasTrait<trait::MovesOnly>())
        continue;
      errors[number].own.add(signal, values.get());
      errors[number].clipped += clippedOf(describe(v), signal);
      errors[number].values += signal.size();
    }
  }
}

mlir::Operation *
Comparison::compareSample(std::size_t sample,
                          std::vector<TensorErrors> &errors) const {
  Signals signals(metrics.size());
  TensorsByValue constants;
  auto keep = [&](mlir::Value v, TensorBytesRef bytes) {
    if (auto number = numberOf(v))
      signals.set(*number, FloatValues(v, bytes).get());
  };
  auto compare = [&](mlir::Value v, TensorBytesRef bytes) {
    if (auto number = numberOf(v)) {
      FloatValues values(v, bytes);
      std::span<const float> signal = signals.of(*number, values.get().size());
      if (!signal.empty())
        errors[*number].network.add(signal, values.get());
    }
    mlir::Operation *maker = v.getDefiningOp();
    if (detail == CompareDetail::Layers && maker &&
        maker->getNumOperands() == 0)
      constants[v] = TensorBytes(bytes.begin(), bytes.end());
  };
  std::vector<TensorBytes> outputs;
  if (mlir::Operation *endless = floatRun.run(sample, outputs, keep))
    return endless;
  if (mlir::Operation *endless = intRun.run(sample, outputs, compare))
    return endless;
  addOwnErrors(signals, constants, errors);
  return nullptr;
}

std::optional<std::vector<TensorMetric>>
Comparison::run(const std::vector<NpyView> &arrays, std::size_t maxSamples) {
  if (!floatRun.create(floatModule, arrays, diags) ||
      !intRun.create(intModule, arrays, diags))
    return std::nullopt;
  listTensors();
  if (detail == CompareDetail::Layers && !collectLoneLayers())
    return std::nullopt;
  // Quantization changes no shapes: the integer network has as many runs.
  std::size_t count = std::min(maxSamples, floatRun.samples->count());
  std::vector<std::vector<TensorErrors>> perSample(
      count, std::vector<TensorErrors>(metrics.size()));
  std::vector<mlir::Operation *> endless(count);
  parallelFor(count, [&](std::size_t i) {
    endless[i] =
        compareSample(floatRun.samples->spread(i, count), perSample[i]);
  });
  for (mlir::Operation *layer : endless)
    if (layer) {
      reportEndless(layer, diags);
      return std::nullopt;
    }
  // In the samples' order, whatever the number of threads.
  for (const std::vector<TensorErrors> &sample : perSample)
    for (auto [metric, errors] : llvm::zip(metrics, sample)) {
      metric.similarity.merge(errors.network);
      metric.own.merge(errors.own);
      metric.clipped += errors.clipped;
      metric.values += errors.values;
    }
  return std::move(metrics);
}

std::optional<std::vector<TensorMetric>>
yarrow::compareNetworks(mlir::ModuleOp floatModule, mlir::ModuleOp intModule,
                        const std::vector<NpyView> &arrays,
                        std::size_t maxSamples, DiagnosticEngine &diags,
                        CompareDetail detail) {
  return Comparison(floatModule, intModule, detail, diags)
      .run(arrays, maxSamples);
}

double yarrow::outputSqnrDb(const std::vector<TensorMetric> &metrics) {
  double least = std::numeric_limits<double>::infinity();
  for (const TensorMetric &metric : metrics)
    if (metric.isOutput && metric.similarity.count)
      least = std::min(least, metric.similarity.sqnrDb());
  return least;
}
