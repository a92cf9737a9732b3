//===- Evaluator.cpp - Runs a network on the host -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/network/Evaluator.h"
#include "dialects/compass/Execution.h"
#include "dialects/compass/MlirDiagnostics.h"
#include "dialects/compass/graph/GraphOps.h"
#include "dialects/compass/graph/Graphs.h"
#include "support/Cancellation.h"
#include "support/Format.h"
#include "support/diagnostics/Operators.h"
#include "support/diagnostics/Simulator.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include <algorithm>
#include <cstring>

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

namespace {

/// A layer with the tensors that it reads and makes, as slots.
struct Step {
  Operation *op = nullptr;
  BoundProgram program;
  std::vector<unsigned> operands, results;
  std::vector<unsigned> lastUses; ///< Slots that die after this step.
};

/// A graph, ready to be computed.
struct Graph {
  std::vector<Value> inputs, outputs;
  std::vector<unsigned> inputSlots, outputSlots;
  std::vector<uint64_t> slotBytes;
  std::vector<Value> slotValues;
  std::vector<AlignedBuffer> constantBuffers; ///< misaligned Constant layers
  std::vector<std::pair<unsigned, TensorBytesRef>> constants; ///< slot, data
  std::vector<Step> steps;
};

} // namespace

struct Evaluator::Impl {
  /// By function: the main graph, and those that are called.
  llvm::MapVector<Operation *, std::unique_ptr<Graph>> graphs;
  const Graph *main = nullptr;

  bool prepare(func::FuncOp func);
  bool prepareLayer(Operation &op, Graph &graph,
                    llvm::function_ref<unsigned(Value)> slotOf);
  /// As Evaluator::run.
  EvaluationStop run(const Graph &graph, ArrayRef<const char *> inputs,
                     ArrayRef<char *> outputs, const Callback &onTensor,
                     const IntermediateCallback &onIntermediate) const;
  /// Computes the step on \p data and points that to its results in \p owned.
  /// Returns as run().
  EvaluationStop runStep(const Graph &graph, const Step &step,
                         MutableArrayRef<const char *> data,
                         MutableArrayRef<AlignedBuffer> owned,
                         const Callback &onTensor,
                         const IntermediateCallback &onIntermediate) const;
};

Evaluator::Evaluator(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Evaluator::~Evaluator() = default;
ArrayRef<Value> Evaluator::inputs() const { return impl->main->inputs; }
ArrayRef<Value> Evaluator::outputs() const { return impl->main->outputs; }

/// False after reporting why the layer cannot be computed.
bool Evaluator::Impl::prepareLayer(Operation &op, Graph &graph,
                                   llvm::function_ref<unsigned(Value)> slotOf) {
  if (!isa<CompassOp>(op)) {
    op.emitOpError("is not a Compass layer");
    return false;
  }
  if (!isExecutable(&op)) {
    (void)refuseKernel(&op);
    return false;
  }
  auto program = BoundProgram::create(&op);
  if (failed(program))
    return false;
  Step step;
  step.op = &op;
  step.program = std::move(*program);
  for (Value v : op.getOperands())
    step.operands.push_back(slotOf(v));
  for (Value v : op.getResults())
    step.results.push_back(slotOf(v));
  graph.steps.push_back(std::move(step));
  bool ok = true;
  for (const GraphCall &call : graph.steps.back().program.getProgram().graphs())
    ok &= prepare(cast<func::FuncOp>(call.graph));
  return ok;
}

/// False after reporting every layer that cannot be computed, also of the
/// sub-graphs that are called.
bool Evaluator::Impl::prepare(func::FuncOp func) {
  auto [place, isNew] = graphs.try_emplace(func);
  if (!isNew)
    return true;
  place->second = std::make_unique<Graph>();
  Graph &graph = *place->second;
  llvm::DenseMap<Value, unsigned> slots;
  auto slotOf = [&](Value v) {
    auto [it, isNew] = slots.try_emplace(v, graph.slotBytes.size());
    if (isNew) {
      graph.slotBytes.push_back(describe(v).sizeBytes());
      graph.slotValues.push_back(v);
    }
    return it->second;
  };
  bool ok = true;
  for (Operation &op : func.getBody().front().without_terminator()) {
    if (isa<InputOp>(op))
      continue;
    auto constant = dyn_cast<ConstantOp>(op);
    if (!constant) {
      ok &= prepareLayer(op, graph, slotOf);
      continue;
    }
    TensorBytesRef bytes = viewConstant(*constant.getWeights())->bytes;
    if (reinterpret_cast<uintptr_t>(bytes.data()) % 8) {
      graph.constantBuffers.push_back(AlignedBuffer::copyOf(bytes));
      bytes = graph.constantBuffers.back().ref();
    }
    graph.constants.push_back({slotOf(constant.getResult(0)), bytes});
  }
  for (Value v : graphInputs(func)) {
    graph.inputs.push_back(v);
    graph.inputSlots.push_back(slotOf(v));
  }
  for (Value v : graphOutputs(func)) {
    graph.outputs.push_back(v);
    graph.outputSlots.push_back(slotOf(v));
  }
  // A slot dies after the last step that reads it; outputs live on.
  std::vector<int> last(graph.slotBytes.size(), -1);
  for (auto [i, step] : llvm::enumerate(graph.steps))
    for (unsigned s : llvm::concat<unsigned>(step.operands, step.results))
      last[s] = int(i);
  for (unsigned s : graph.outputSlots)
    last[s] = -1;
  for (unsigned s = 0; s < last.size(); ++s)
    if (last[s] >= 0)
      graph.steps[last[s]].lastUses.push_back(s);
  return ok;
}

std::unique_ptr<Evaluator> Evaluator::create(ModuleOp module,
                                             yarrow::DiagnosticEngine &diags) {
  DiagnosticForwarder forward(module.getContext(), diags, diag::OpUnsupported);
  auto func = mainGraph(module);
  if (!func || !llvm::hasSingleElement(func.getBody())) {
    diags.report(diag::OpInvalid, {},
                 "the module has no function @main with one block");
    return nullptr;
  }
  auto impl = std::make_unique<Impl>();
  if (!impl->prepare(func))
    return nullptr;
  impl->main = impl->graphs[func].get();
  return std::unique_ptr<Evaluator>(new Evaluator(std::move(impl)));
}

std::vector<std::pair<Operation *, StringRef>>
Evaluator::intermediates() const {
  std::vector<std::pair<Operation *, StringRef>> found;
  for (auto &[func, graph] : impl->graphs)
    for (const Step &step : graph->steps) {
      llvm::SmallDenseSet<StringRef> names; // one for all steps of a layer
      for (const Intermediate &v : step.program.getProgram().intermediates())
        if (names.insert(v.name).second)
          found.push_back({step.op, v.name});
    }
  return found;
}

EvaluationStop Evaluator::Impl::runStep(
    const Graph &graph, const Step &step, MutableArrayRef<const char *> data,
    MutableArrayRef<AlignedBuffer> owned, const Callback &onTensor,
    const IntermediateCallback &onIntermediate) const {
  leaveIfCancelled();
  EvaluationStop inside; // a sub-graph
  BoundProgram::RunGraph runGraph = [&](const GraphCall &call,
                                        ArrayRef<const char *> from,
                                        ArrayRef<char *> to) {
    if (!inside)
      inside = run(*graphs.find(call.graph)->second, from, to, onTensor,
                   onIntermediate);
    return !inside;
  };
  SmallVector<const char *> operands;
  SmallVector<char *> results;
  for (unsigned s : step.operands)
    operands.push_back(data[s]);
  for (unsigned s : step.results) {
    owned[s] = AlignedBuffer(graph.slotBytes[s]);
    data[s] = owned[s].data();
    results.push_back(owned[s].data());
  }
  BoundProgram::OnIntermediate observe;
  if (onIntermediate)
    observe = [&](const Intermediate &value, TensorBytesRef bytes) {
      onIntermediate(step.op, value, bytes);
    };
  IndexFault index;
  if (step.program.run(operands, results, observe, runGraph, &index))
    return {};
  return inside ? inside : EvaluationStop{step.op, index};
}

EvaluationStop
Evaluator::Impl::run(const Graph &graph, ArrayRef<const char *> inputs,
                     ArrayRef<char *> outputs, const Callback &onTensor,
                     const IntermediateCallback &onIntermediate) const {
  std::vector<AlignedBuffer> owned(graph.slotBytes.size());
  std::vector<const char *> data(graph.slotBytes.size());
  auto give = [&](unsigned slot, const char *bytes) {
    data[slot] = bytes;
    if (onTensor)
      onTensor(graph.slotValues[slot], {bytes, graph.slotBytes[slot]});
  };
  for (auto [slot, bytes] : llvm::zip_equal(graph.inputSlots, inputs))
    give(slot, bytes);
  for (auto [slot, bytes] : graph.constants)
    give(slot, bytes.data());
  for (const Step &step : graph.steps) {
    if (EvaluationStop stop =
            runStep(graph, step, data, owned, onTensor, onIntermediate))
      return stop;
    if (onTensor)
      for (unsigned s : step.results)
        onTensor(graph.slotValues[s], owned[s].ref());
    for (unsigned s : step.lastUses)
      owned[s] = {};
  }
  for (auto [slot, to] : llvm::zip_equal(graph.outputSlots, outputs))
    std::copy_n(data[slot], graph.slotBytes[slot], to);
  return {};
}

EvaluationStop
Evaluator::run(ArrayRef<TensorBytesRef> inputData,
               std::vector<TensorBytes> &outputData, const Callback &onTensor,
               const IntermediateCallback &onIntermediate) const {
  const Graph &main = *impl->main;
  assert(inputData.size() == main.inputs.size() && "one buffer per input");
  SmallVector<const char *> inputs;
  for (auto [slot, bytes] : llvm::zip(main.inputSlots, inputData)) {
    assert(bytes.size() == main.slotBytes[slot] &&
           "an input has the wrong size");
    inputs.push_back(bytes.data());
  }
  outputData.clear();
  for (unsigned slot : main.outputSlots)
    outputData.emplace_back(main.slotBytes[slot]);
  SmallVector<char *> outputs;
  for (TensorBytes &bytes : outputData)
    outputs.push_back(bytes.data());
  return impl->run(main, inputs, outputs, onTensor, onIntermediate);
}

EvaluationStop
Evaluator::rerun(const TensorsOfRun &kept,
                 ArrayRef<std::pair<Value, TensorBytesRef>> changed,
                 std::vector<TensorBytes> &outputData) const {
  const Graph &main = *impl->main;
  std::vector<AlignedBuffer> owned(main.slotBytes.size());
  std::vector<const char *> data(main.slotBytes.size());
  std::vector<bool> differs(main.slotBytes.size());
  for (auto [slot, value] : llvm::enumerate(main.slotValues)) {
    data[slot] = kept.find(value)->second.data();
    for (auto [other, bytes] : changed)
      if (other == value) {
        assert(bytes.size() == main.slotBytes[slot] && "of another size");
        owned[slot] = AlignedBuffer::copyOf(bytes);
        data[slot] = owned[slot].data();
        differs[slot] = true;
      }
  }
  for (const Step &step : main.steps) {
    if (llvm::none_of(step.operands, [&](unsigned s) { return differs[s]; }))
      continue;
    if (EvaluationStop stop = impl->runStep(main, step, data, owned, {}, {}))
      return stop;
    for (unsigned s : step.results)
      differs[s] = true;
    for (unsigned s : step.lastUses)
      owned[s] = {};
  }
  outputData.clear();
  for (unsigned slot : main.outputSlots)
    outputData.emplace_back(data[slot], data[slot] + main.slotBytes[slot]);
  return {};
}

void EvaluationStop::report(yarrow::DiagnosticEngine &diags) const {
  if (index.length != 0)
    diags.report(diag::SimulatorFault, placeOf(layer->getLoc()),
                 "index " + std::to_string(index.index) +
                     ", which was read from data, is out of bounds: the axis "
                     "has " +
                     std::to_string(index.length) + " elements");
  else
    diags
        .report(diag::InstructionLimit, placeOf(layer->getLoc()),
                "its loop does not end")
        .found("more than " + formatCount(BoundProgram::kMaxTrips) +
               " iterations")
        .hint("its body never sets the condition to 0 for these inputs");
}

LogicalResult compass::evaluateOp(Operation *op,
                                  ArrayRef<TensorBytesRef> operands,
                                  std::vector<TensorBytes> &results) {
  auto program = BoundProgram::create(op);
  if (failed(program) || !program->getProgram().graphs().empty())
    return failure();
  SmallVector<const char *> inputs;
  SmallVector<char *> outputs;
  for (TensorBytesRef bytes : operands)
    inputs.push_back(bytes.data());
  results.clear();
  for (Value v : op->getResults())
    results.emplace_back(describe(v).sizeBytes());
  for (TensorBytes &bytes : results)
    outputs.push_back(bytes.data());
  IndexFault index;
  if (program->run(inputs, outputs, {}, {}, &index) || index.length == 0)
    return success();
  return op->emitOpError("reads index ")
         << index.index << " of " << index.length << " elements";
}
