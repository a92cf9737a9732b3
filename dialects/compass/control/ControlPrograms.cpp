//===- ControlPrograms.cpp - If and Loop as steps -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// If:    the sub-graph that the condition tells writes the results
// Loop:  results of values that go round begin as what the layer gets
//        state, iteration, condition  yk_loop_next(count, condition)
//        while state goes on
//          next condition, next values, collected values  the body
//          results = next values, rows of results = collected values
//          state, iteration, condition  yk_loop_next(count, next condition)
//
// A body reads its values while it writes others, so that those that come next
// are put in their place behind it.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerError.h"
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/control/ControlOps.h"
#include "dialects/compass/control/GraphCalls.h"
#include "dialects/compass/graph/Graphs.h"
#include "kernels/control/Loop.h"
#include "kernels/movement/DataMovement.h"
#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

namespace {

/// Copies \p count elements; the first one again and again, if \p isFill.
void copy(LayerProgram &program, DType type, int64_t count, BufferBinding from,
          BufferBinding to, bool isFill = false) {
  kernels::CopyParams p;
  p.elemBytes = kernels::dtypeBytes(type);
  p.rank = 1;
  p.dims[0] = uint32_t(count);
  p.srcStride[0] = !isFill;
  p.dstStride[0] = 1;
  KernelCall &call = program.call<kernels::Copy>(p);
  call["input"] = std::move(from), call["output"] = std::move(to);
}

/// Real zeros to the elements of \p result from \p first on.
void fillWithZeros(LayerProgram &program, unsigned index,
                   const TensorInfo &info, int64_t first) {
  int64_t count = info.numElements() - first, zero = -int64_t(info.zp);
  if (count == 0)
    return;
  uint64_t bytes = kernels::dtypeBytes(info.dtype);
  std::vector<char> element(bytes);
  std::memcpy(element.data(), &zero, bytes);
  copy(program, info.dtype, count,
       constant({1}, info.dtype, std::move(element)),
       result(index).at(first * bytes, count * bytes), /*isFill=*/true);
}

/// One whole number that is not scaled: what decides or counts.
LogicalResult checkWhole(Operation *op, Value value, const Twine &what) {
  TensorInfo info = describe(value);
  if (info.isFloat() || info.numElements() != 1)
    return layerError(op, diag::OpShape, "layer_bottom_shape",
                      "the " + what + " is not one integer")
        .found(shapeText(info.shape) + " of " + dtypeName(info.storedType()));
  if (info.zp != 0)
    return layerError(op, diag::OpUnsupported, "layer_bottom_type",
                      "a zero point of the " + what + " is not supported yet")
        .found(Twine(info.zp))
        .expected("0");
  return success();
}

BufferBinding valueFor(LayerProgram &program, const Twine &name, Value like) {
  return program.intermediate(name.str(), describe(like));
}

} // namespace

LogicalResult IfOp::buildProgram(LayerProgram &program) {
  Operation *op = getOperation();
  if (failed(checkWhole(op, op->getOperand(0), "condition")))
    return failure();
  unsigned next = 1;
  auto branch = [&](StringRef key) {
    func::FuncOp graph = calledGraph(op, key);
    GraphCall call{graph, {}, {}};
    for (size_t i = 0; i < graphInputs(graph).size(); ++i)
      call.inputs.push_back(operand(next++));
    for (auto [i, output] : llvm::enumerate(graphOutputs(graph))) {
      TensorInfo info = describe(output);
      call.outputs.push_back(result(i).at(0, info.sizeBytes()));
      fillWithZeros(program, i, describe(op->getResult(i)), info.numElements());
    }
    program.call(std::move(call));
  };
  ProgramFlag flag{operand(0),
                   kernels::dtypeBytes(describe(op->getOperand(0)).dtype)};
  program.when(
      flag, [&] { branch("then_branch"); }, [&] { branch("else_branch"); });
  return success();
}

namespace {

class LoopProgram {
public:
  LoopProgram(Operation *op, LayerProgram &program)
      : op(op), program(program), body(calledGraph(op, "body")),
        inputs(graphInputs(body)), outputs(graphOutputs(body)),
        carried(intKey(op, keys::dependency_inputs_num)) {}

  LogicalResult build() {
    if (failed(checkWhole(op, op->getOperand(0), "count")) ||
        failed(checkWhole(op, op->getOperand(1), "condition")) ||
        failed(checkWhole(op, inputs[0], "iteration of the body")) ||
        failed(checkWhole(op, inputs[1], "condition of the body")) ||
        failed(checkWhole(op, outputs[0], "next condition")))
      return failure();
    for (auto [i, value] : llvm::enumerate(op->getResults())) {
      TensorInfo info = describe(value);
      if (i < carried)
        copy(program, info.dtype, info.numElements(), operand(2 + i),
             result(i));
      else
        fillWithZeros(program, i, info, 0);
    }
    TensorInfo stateInfo;
    stateInfo.setType(DType::I32);
    stateInfo.shape = {kernels::kLoopStateWords};
    state = program.intermediate("state", stateInfo);
    iteration = valueFor(program, "iteration", inputs[0]);
    condition = valueFor(program, "condition", inputs[1]);
    next(operand(1), op->getOperand(1), /*previous=*/{});
    ProgramFlag goesOn{state.at(4 * kernels::kLoopGoesOn, 4), 4};
    program.repeatWhile(goesOn, [&] { iterate(); });
    return success();
  }

private:
  void next(BufferBinding given, Value like, BufferBinding previous) {
    kernels::LoopNextParams p;
    p.countType = describe(op->getOperand(0)).dtype;
    p.givenType = describe(like).dtype;
    p.iterationType = describe(inputs[0]).dtype;
    p.conditionType = describe(inputs[1]).dtype;
    KernelCall &call = program.call<kernels::LoopNext>(p);
    call["count"] = operand(0), call["given"] = std::move(given);
    call["previous"] = std::move(previous);
    call["iteration"] = iteration, call["condition"] = condition;
    call["state"] = state;
  }

  void iterate() {
    GraphCall call{body, {iteration, condition}, {}};
    for (size_t i = 2; i < inputs.size(); ++i)
      call.inputs.push_back(i < 2 + carried ? result(i - 2) : operand(i));
    std::vector<BufferBinding> made;
    for (auto [i, output] : llvm::enumerate(outputs))
      made.push_back(valueFor(
          program, i == 0 ? "next_condition" : "next_" + Twine(i - 1), output));
    call.outputs = made;
    program.call(std::move(call));
    for (unsigned i = 0; i < op->getNumResults(); ++i) {
      TensorInfo info = describe(outputs[1 + i]);
      if (i < carried) {
        copy(program, info.dtype, info.numElements(), made[1 + i], result(i));
        continue;
      }
      kernels::LoopCollectParams p;
      p.rowBytes = uint32_t(info.sizeBytes());
      p.capacity = uint32_t(describe(op->getResult(i)).sizeBytes() /
                            std::max<uint64_t>(info.sizeBytes(), 1));
      KernelCall &collect = program.call<kernels::LoopCollect>(p);
      collect["value"] = made[1 + i], collect["state"] = state;
      collect["rows"] = result(i);
    }
    next(made[0], outputs[0], state);
  }

  Operation *op;
  LayerProgram &program;
  func::FuncOp body;
  SmallVector<Value> inputs;
  OperandRange outputs;
  size_t carried;
  BufferBinding state, iteration, condition;
};

} // namespace

LogicalResult LoopOp::buildProgram(LayerProgram &program) {
  return LoopProgram(*this, program).build();
}
