//===- JointForward.cpp - Two forms of a network, layer by layer ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/rounding/JointForward.h"

#include "dialects/compass/Compass.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/graph/GraphOps.h"
#include "dialects/compass/graph/Graphs.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "quantizer/calibrate/TensorValues.h"
#include "support/ThreadPool.h"

#include <algorithm>

using namespace yarrow;
using namespace yarrow::compass;

using LiveTensors = llvm::DenseMap<mlir::Value, AlignedBuffer>;

/// One of the two networks, with what is live of each sample.
struct JointForward::Network {
  std::vector<mlir::Operation *> ops;
  /// Ops by their number: the last one that reads a value.
  llvm::DenseMap<mlir::Value, std::size_t> lastUse;
  llvm::SmallVector<mlir::Value> outputs; ///< They stay.
  llvm::DenseMap<mlir::Operation *, std::size_t> numbers;
  std::unique_ptr<SampleSet> samples;
  std::vector<std::size_t> runs; ///< of `samples`
  /// By sample.
  std::vector<LiveTensors> live;
  std::size_t next = 0; ///< The first op that is not computed yet.

  void list(mlir::ModuleOp module);
  uint64_t mostLiveBytes() const;
  void begin(std::size_t count);
  /// After the op \p number has been computed.
  bool isDead(mlir::Value v, std::size_t number) const {
    auto use = lastUse.find(v);
    return (use == lastUse.end() || use->second == number) &&
           !llvm::is_contained(outputs, v);
  }
  bool compute(mlir::Operation *op);
  /// Computes all ops before \p end. False after an error.
  bool computeUpTo(std::size_t end);
};

void JointForward::Network::list(mlir::ModuleOp module) {
  for (mlir::Operation &op :
       mainGraph(module).getBody().front().without_terminator()) {
    numbers[&op] = ops.size();
    for (mlir::Value v : op.getOperands())
      lastUse[v] = ops.size();
    ops.push_back(&op);
  }
  outputs = graphOutputs(mainGraph(module));
}

uint64_t JointForward::Network::mostLiveBytes() const {
  uint64_t now = 0, most = 0;
  std::vector<uint64_t> dying(ops.size());
  for (auto [number, op] : llvm::enumerate(ops)) {
    for (mlir::Value v : op->getResults()) {
      uint64_t bytes = describe(v).sizeBytes();
      now += bytes;
      auto it = lastUse.find(v);
      dying[it == lastUse.end() ? number : it->second] += bytes;
    }
    most = std::max(most, now);
    now -= dying[number];
  }
  return most;
}

void JointForward::Network::begin(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    runs.push_back(samples->spread(i, count));
  live = std::vector<LiveTensors>(count);
}

bool JointForward::Network::compute(mlir::Operation *op) {
  std::size_t number = numbers.lookup(op);
  if (auto input = mlir::dyn_cast<InputOp>(op)) {
    auto inputs = graphInputs(op->getParentOfType<mlir::func::FuncOp>());
    auto index =
        std::size_t(llvm::find(inputs, op->getResult(0)) - inputs.begin());
    parallelFor(live.size(), [&](std::size_t s) {
      std::vector<std::vector<char>> bytes = samples->inputsOf(runs[s]);
      live[s][op->getResult(0)] = AlignedBuffer::copyOf(bytes[index]);
    });
    return true;
  }
  if (auto constant = mlir::dyn_cast<compass::ConstantOp>(op)) {
    auto view = viewConstant(*constant.getWeights());
    // One copy would do for all samples; constants of activations are small.
    for (auto &tensors : live)
      tensors[op->getResult(0)] = AlignedBuffer::copyOf(view->bytes);
    return true;
  }
  auto program = BoundProgram::create(op);
  if (mlir::failed(program))
    return false;
  parallelFor(live.size(), [&](std::size_t s) {
    std::vector<const char *> from;
    std::vector<char *> to;
    for (mlir::Value v : op->getOperands())
      from.push_back(live[s].find(v)->second.data());
    std::vector<AlignedBuffer> results;
    for (mlir::Value v : op->getResults()) {
      results.emplace_back(describe(v).sizeBytes());
      to.push_back(results.back().data());
    }
    program->run(from, to);
    for (auto [v, bytes] : llvm::zip(op->getResults(), results))
      live[s][v] = std::move(bytes);
    for (mlir::Value v : op->getOperands())
      if (isDead(v, number))
        live[s].erase(v);
    for (mlir::Value v : op->getResults())
      if (isDead(v, number))
        live[s].erase(v);
  });
  return true;
}

bool JointForward::Network::computeUpTo(std::size_t end) {
  for (; next < end; ++next)
    if (!compute(ops[next]))
      return false;
  return true;
}

JointLayer::JointLayer(mlir::Operation *floatOp, mlir::Operation *intOp,
                       const JointForward &forward)
    : floatOp(floatOp), intOp(intOp), numSamples(forward.count),
      forward(forward) {}

static FloatValues valuesOf(const LiveTensors &tensors, mlir::Value value) {
  return {value, tensors.find(value)->second.ref()};
}

FloatValues JointLayer::floatOperand(std::size_t sample, unsigned index) const {
  return valuesOf(forward.floats->live[sample], floatOp->getOperand(index));
}

FloatValues JointLayer::intOperand(std::size_t sample, unsigned index) const {
  return valuesOf(forward.integers->live[sample], intOp->getOperand(index));
}

JointForward::JointForward() = default;
JointForward::~JointForward() = default;

uint64_t JointForward::bytesOfSample() const {
  return floats->mostLiveBytes() + integers->mostLiveBytes();
}

bool JointForward::create(mlir::ModuleOp floatModule, mlir::ModuleOp intModule,
                          const std::vector<NpyView> &arrays,
                          std::size_t maxSamples, DiagnosticEngine &diags) {
  floats = std::make_unique<Network>();
  integers = std::make_unique<Network>();
  floats->samples = SampleSet::create(floatModule, arrays, diags);
  integers->samples = SampleSet::create(intModule, arrays, diags);
  if (!floats->samples || !integers->samples)
    return false;
  if (!llvm::hasSingleElement(floatModule.getOps<mlir::func::FuncOp>()))
    return false;
  floats->list(floatModule);
  integers->list(intModule);
  layers = pairLayers(floatModule, intModule);
  if (!llvm::all_of(integers->ops, recordOf))
    return false;
  uint64_t fit = kMostBytes / std::max<uint64_t>(1, bytesOfSample());
  count = std::min({maxSamples, floats->samples->count(),
                    std::size_t(std::max<uint64_t>(fit, 4))});
  floats->begin(count);
  integers->begin(count);
  return true;
}

std::vector<std::vector<float>>
JointForward::intOutputs(std::size_t sample) const {
  std::vector<std::vector<float>> outputs;
  auto run = llvm::find(integers->runs, sample);
  if (run == integers->runs.end())
    return outputs;
  const LiveTensors &live =
      integers->live[std::size_t(run - integers->runs.begin())];
  for (mlir::Value v : integers->outputs) {
    FloatValues values = valuesOf(live, v);
    outputs.emplace_back(values.get().begin(), values.get().end());
  }
  return outputs;
}

bool JointForward::run(const std::function<void(const JointLayer &)> &atLayer,
                       DiagnosticEngine &diags) {
  for (auto [number, pair] : llvm::enumerate(layers)) {
    if (pair.floatOp) {
      // Layers that fell out of order have been computed already.
      std::size_t at = floats->numbers.lookup(pair.floatOp);
      if (at >= floats->next) {
        if (!floats->computeUpTo(at))
          return false;
        if (pair.intOp->getNumOperands())
          atLayer(JointLayer(pair.floatOp, pair.intOp, *this));
      }
    }
    if (!integers->computeUpTo(number + 1))
      return false;
  }
  return true;
}
