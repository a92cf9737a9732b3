//===- Evaluator.cpp - Runs a network on the host -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Evaluator.h"
#include "dialects/compass/Execution.h"
#include "dialects/compass/MlirDiagnostics.h"
#include "dialects/compass/graph/GraphOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

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

} // namespace

struct Evaluator::Impl {
  std::vector<Value> inputs, outputs;
  std::vector<unsigned> inputSlots, outputSlots;
  std::vector<uint64_t> slotBytes;
  std::vector<Value> slotValues;
  std::vector<AlignedBuffer> constantBuffers; ///< misaligned Constant layers
  std::vector<std::pair<unsigned, TensorBytesRef>> constants; ///< slot, data
  std::vector<Step> steps;
};

Evaluator::Evaluator(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Evaluator::~Evaluator() = default;
ArrayRef<Value> Evaluator::inputs() const { return impl->inputs; }
ArrayRef<Value> Evaluator::outputs() const { return impl->outputs; }

std::unique_ptr<Evaluator> Evaluator::create(ModuleOp module,
                                             yarrow::DiagnosticEngine &diags) {
  DiagnosticForwarder forward(module.getContext(), diags,
                              DiagId::OpUnsupported);
  auto func = module.lookupSymbol<func::FuncOp>("main");
  if (!func || !llvm::hasSingleElement(func.getBody())) {
    diags.report(DiagId::OpInvalid, {},
                 "the module has no function @main with one block");
    return nullptr;
  }
  auto impl = std::make_unique<Impl>();
  llvm::DenseMap<Value, unsigned> slots;
  auto slotOf = [&](Value v) {
    auto [it, isNew] = slots.try_emplace(v, impl->slotBytes.size());
    if (isNew) {
      impl->slotBytes.push_back(describe(v).sizeBytes());
      impl->slotValues.push_back(v);
    }
    return it->second;
  };
  bool failedAny = false;
  std::vector<std::pair<int64_t, Value>> inputs;
  for (Operation &op : func.getBody().front()) {
    if (auto input = dyn_cast<InputOp>(op)) {
      inputs.push_back({input.getInputIndex(), input.getResult(0)});
    } else if (auto constant = dyn_cast<ConstantOp>(op)) {
      TensorBytesRef bytes = viewConstant(*constant.getWeights())->bytes;
      if (reinterpret_cast<uintptr_t>(bytes.data()) % 8) {
        impl->constantBuffers.push_back(AlignedBuffer::copyOf(bytes));
        bytes = impl->constantBuffers.back().ref();
      }
      impl->constants.push_back({slotOf(constant.getResult(0)), bytes});
    } else if (auto ret = dyn_cast<func::ReturnOp>(op)) {
      for (Value v : ret.getOperands()) {
        impl->outputs.push_back(v);
        impl->outputSlots.push_back(slotOf(v));
      }
    } else {
      if (!isa<CompassOp>(op)) {
        op.emitOpError("is not a Compass layer");
        failedAny = true;
        continue;
      }
      if (!isExecutable(&op)) {
        (void)refuseKernel(&op);
        failedAny = true;
        continue;
      }
      auto program = BoundProgram::create(&op);
      if (failed(program)) {
        failedAny = true;
        continue;
      }
      Step step;
      step.op = &op;
      step.program = std::move(*program);
      for (Value v : op.getOperands())
        step.operands.push_back(slotOf(v));
      for (Value v : op.getResults())
        step.results.push_back(slotOf(v));
      impl->steps.push_back(std::move(step));
    }
  }
  if (failedAny)
    return nullptr;
  llvm::sort(inputs, llvm::less_first());
  for (auto &[index, v] : inputs) {
    impl->inputs.push_back(v);
    impl->inputSlots.push_back(slotOf(v));
  }
  // A slot dies after the last step that reads it; outputs live on.
  std::vector<int> last(impl->slotBytes.size(), -1);
  for (auto [i, step] : llvm::enumerate(impl->steps))
    for (unsigned s : llvm::concat<unsigned>(step.operands, step.results))
      last[s] = int(i);
  for (unsigned s : impl->outputSlots)
    last[s] = -1;
  for (unsigned s = 0; s < last.size(); ++s)
    if (last[s] >= 0)
      impl->steps[last[s]].lastUses.push_back(s);
  return std::unique_ptr<Evaluator>(new Evaluator(std::move(impl)));
}

std::vector<std::pair<Operation *, StringRef>>
Evaluator::intermediates() const {
  std::vector<std::pair<Operation *, StringRef>> found;
  for (const Step &step : impl->steps) {
    llvm::SmallDenseSet<StringRef> names; // one for all steps of a layer
    for (const Intermediate &v : step.program.getProgram().intermediates())
      if (names.insert(v.name).second)
        found.push_back({step.op, v.name});
  }
  return found;
}

void Evaluator::run(ArrayRef<TensorBytesRef> inputData,
                    std::vector<TensorBytes> &outputData,
                    const Callback &onTensor,
                    const IntermediateCallback &onIntermediate) const {
  assert(inputData.size() == impl->inputs.size() && "one buffer per input");
  std::vector<AlignedBuffer> owned(impl->slotBytes.size());
  std::vector<const char *> data(impl->slotBytes.size());
  for (auto [slot, bytes] : llvm::zip(impl->inputSlots, inputData)) {
    assert(bytes.size() == impl->slotBytes[slot] &&
           "an input has the wrong size");
    data[slot] = bytes.data();
    if (onTensor)
      onTensor(impl->slotValues[slot], bytes);
  }
  for (auto [slot, bytes] : impl->constants) {
    data[slot] = bytes.data();
    if (onTensor)
      onTensor(impl->slotValues[slot], bytes);
  }
  for (const Step &step : impl->steps) {
    SmallVector<const char *> operands;
    SmallVector<char *> results;
    for (unsigned s : step.operands)
      operands.push_back(data[s]);
    for (unsigned s : step.results) {
      owned[s] = AlignedBuffer(impl->slotBytes[s]);
      data[s] = owned[s].data();
      results.push_back(owned[s].data());
    }
    BoundProgram::OnIntermediate observe;
    if (onIntermediate)
      observe = [&](const Intermediate &value, TensorBytesRef bytes) {
        onIntermediate(step.op, value, bytes);
      };
    step.program.run(operands, results, observe);
    if (onTensor)
      for (unsigned s : step.results)
        onTensor(impl->slotValues[s], owned[s].ref());
    for (unsigned s : step.lastUses)
      owned[s] = {};
  }
  outputData.clear();
  for (unsigned s : impl->outputSlots)
    outputData.emplace_back(data[s], data[s] + impl->slotBytes[s]);
}

LogicalResult compass::evaluateOp(Operation *op,
                                  ArrayRef<TensorBytesRef> operands,
                                  std::vector<TensorBytes> &results) {
  auto program = BoundProgram::create(op);
  if (failed(program))
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
  program->run(inputs, outputs);
  return success();
}
