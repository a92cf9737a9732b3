//===- States.cpp - What a network keeps from run to run ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/graph/States.h"
#include "dialects/compass/graph/GraphOps.h"
#include "dialects/compass/graph/Graphs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"

#include <algorithm>
#include <cstring>

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

SmallVector<GraphState> compass::graphStates(func::FuncOp graph) {
  SmallVector<GraphState> states;
  OperandRange outputs = graphOutputs(graph);
  for (auto [i, value] : llvm::enumerate(graphInputs(graph))) {
    auto input = value.getDefiningOp<InputOp>();
    if (auto output = input.getStateOutput())
      states.push_back({value, outputs[unsigned(*output)], unsigned(i),
                        unsigned(*output),
                        input.getStateInitial().value_or(nullptr)});
  }
  return states;
}

/// Integers that stand for 0; of floats zeros.
static std::vector<char> zeroBytes(const TensorInfo &info) {
  std::vector<char> bytes(info.sizeBytes());
  if (!info.isQuantized())
    return bytes;
  int64_t zero = std::clamp<int64_t>(-int64_t(info.zp), info.lo, info.hi);
  size_t step = bytes.size() / std::max<size_t>(1, size_t(info.numElements()));
  for (size_t at = 0; at + step <= bytes.size() && step; at += step)
    std::memcpy(&bytes[at], &zero, step); // little-endian hosts only
  return bytes;
}

std::vector<char> compass::initialBytes(const GraphState &state) {
  if (state.initial)
    if (auto stored = viewConstant(state.initial))
      return {stored->bytes.begin(), stored->bytes.end()};
  return zeroBytes(describe(state.past));
}

/// Those of \p count that \p isEnd does not name.
static SmallVector<unsigned> placesBut(size_t count,
                                       const llvm::SmallBitVector &isEnd) {
  SmallVector<unsigned> places;
  for (unsigned i = 0; i < count; ++i)
    if (!isEnd[i])
      places.push_back(i);
  return places;
}

SmallVector<unsigned> compass::callerInputs(func::FuncOp graph) {
  size_t count = graphInputs(graph).size();
  llvm::SmallBitVector isEnd{unsigned(count)};
  for (const GraphState &state : graphStates(graph))
    isEnd.set(state.input);
  return placesBut(count, isEnd);
}

SmallVector<unsigned> compass::callerOutputs(func::FuncOp graph) {
  size_t count = graphOutputs(graph).size();
  llvm::SmallBitVector isEnd{unsigned(count)};
  for (const GraphState &state : graphStates(graph))
    isEnd.set(state.output);
  return placesBut(count, isEnd);
}

SmallVector<Value> compass::callerInputValues(func::FuncOp graph) {
  SmallVector<Value> inputs = graphInputs(graph);
  return llvm::map_to_vector(callerInputs(graph),
                             [&](unsigned i) { return inputs[i]; });
}

SmallVector<Value> compass::callerOutputValues(func::FuncOp graph) {
  OperandRange outputs = graphOutputs(graph);
  return llvm::map_to_vector(callerOutputs(graph),
                             [&](unsigned i) { return outputs[i]; });
}
