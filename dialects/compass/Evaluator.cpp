//===- Evaluator.cpp - Runs a network on the host -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Evaluator.h"
#include "dialects/compass/Execution.h"
#include "dialects/compass/MlirDiagnostics.h"
#include "dialects/compass/graph/GraphOps.h"
#include "kernels/Registry.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include <algorithm>
#include <new>

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

namespace {

/// A buffer aligned for vector loads.
struct AlignedBuffer {
  struct Free {
    void operator()(char *p) const {
      ::operator delete(p, std::align_val_t(64));
    }
  };
  std::unique_ptr<char, Free> data;
  size_t sizeBytes = 0;
  AlignedBuffer() = default;
  explicit AlignedBuffer(size_t size)
      : data(static_cast<char *>(
            ::operator new(std::max<size_t>(size, 1), std::align_val_t(64)))),
        sizeBytes(size) {}
  TensorBytesRef ref() const { return {data.get(), sizeBytes}; }
};

/// A kernel call bound to its function and to constants that are aligned.
struct Step {
  Operation *op = nullptr;
  KernelCall call;
  kernels::KernelFn fn = nullptr;
  /// One per buffer of the call; null where the buffer is not a constant.
  std::vector<const char *> constants;
  std::vector<AlignedBuffer> copies; ///< of constants that were misaligned
  std::vector<unsigned> operands;    ///< slots
  std::vector<unsigned> results;     ///< slots
  std::vector<unsigned> lastUses;    ///< slots that die after this step
};

/// Binds constants. A weights file is densely packed, so a constant may be
/// misaligned for its element type; such a one is copied, the rest is not.
LogicalResult bind(Step &step) {
  const kernels::KernelInfo *info = kernels::findKernel(step.call.symbol);
  if (!info)
    return step.op->emitOpError("has no kernel named ") << step.call.symbol;
  step.fn = info->fn;
  for (const KernelBuffer &buffer : step.call.buffers) {
    const char *data = nullptr;
    if (buffer.kind == KernelBuffer::Kind::Constant && buffer.constant) {
      auto view = viewConstant(buffer.constant);
      if (!view)
        return step.op->emitOpError("has a constant without data");
      data = view->bytes.data();
      if (reinterpret_cast<uintptr_t>(data) %
          kernels::dtypeBytes(view->dtype)) {
        step.copies.emplace_back(view->bytes.size());
        std::copy(view->bytes.begin(), view->bytes.end(),
                  step.copies.back().data.get());
        data = step.copies.back().data.get();
      }
    } else if (buffer.kind == KernelBuffer::Kind::Constant) {
      data = buffer.bytes.data();
    }
    step.constants.push_back(data);
  }
  return success();
}

void execute(const Step &step, ArrayRef<const char *> operands,
             ArrayRef<char *> results) {
  SmallVector<void *> pointers;
  std::vector<AlignedBuffer> scratch;
  for (auto [buffer, constant] : llvm::zip(step.call.buffers, step.constants)) {
    switch (buffer.kind) {
    case KernelBuffer::Kind::Null:
      pointers.push_back(nullptr);
      break;
    case KernelBuffer::Kind::Input:
      pointers.push_back(const_cast<char *>(operands[buffer.index]));
      break;
    case KernelBuffer::Kind::Output:
      pointers.push_back(results[buffer.index]);
      break;
    case KernelBuffer::Kind::Constant:
      pointers.push_back(const_cast<char *>(constant));
      break;
    case KernelBuffer::Kind::Scratch:
      scratch.emplace_back(buffer.scratchBytes);
      pointers.push_back(scratch.back().data.get());
      break;
    }
  }
  step.fn(step.call.params.data(), pointers.data(), /*task=*/0,
          /*taskCount=*/1);
}

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
        impl->constantBuffers.emplace_back(bytes.size());
        std::copy(bytes.begin(), bytes.end(),
                  impl->constantBuffers.back().data.get());
        bytes = impl->constantBuffers.back().ref();
      }
      impl->constants.push_back({slotOf(constant.getResult(0)), bytes});
    } else if (auto ret = dyn_cast<func::ReturnOp>(op)) {
      for (Value v : ret.getOperands()) {
        impl->outputs.push_back(v);
        impl->outputSlots.push_back(slotOf(v));
      }
    } else {
      Step step;
      step.op = &op;
      auto layer = dyn_cast<CompassOp>(op);
      if (!layer) {
        op.emitOpError("is not a Compass layer");
        failedAny = true;
        continue;
      }
      if (!isExecutable(&op)) {
        (void)refuseKernel(&op);
        failedAny = true;
        continue;
      }
      if (failed(layer.buildKernel(step.call)) || failed(bind(step))) {
        failedAny = true;
        continue;
      }
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

void Evaluator::run(ArrayRef<TensorBytesRef> inputData,
                    std::vector<TensorBytes> &outputData,
                    const Callback &onTensor) const {
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
      data[s] = owned[s].data.get();
      results.push_back(owned[s].data.get());
    }
    execute(step, operands, results);
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
  Step step;
  step.op = op;
  if (failed(cast<CompassOp>(op).buildKernel(step.call)) || failed(bind(step)))
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
  execute(step, inputs, outputs);
  return success();
}
