//===- States.cpp - One scale for the two ends of a state -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/rules/States.h"

#include "dialects/compass/graph/Graphs.h"
#include "dialects/compass/graph/States.h"

#include <algorithm>

using namespace yarrow::compass;

namespace yarrow {

bool hasStates(mlir::ModuleOp module) {
  return !graphStates(mainGraph(module)).empty();
}

/// The state's ends, and what its present value is a part of: a window that
/// slides over the state and what is new has one scale, too.
static llvm::SmallVector<mlir::Value> valuesOf(const GraphState &state) {
  llvm::SmallVector<mlir::Value> values = {state.past, state.present};
  for (mlir::Value v = state.present;;) {
    mlir::Operation *op = v.getDefiningOp();
    if (!op || !op->hasTrait<trait::MovesOnly>() || op->getNumOperands() != 1)
      return values;
    v = op->getOperand(0);
    if (describe(v).isFloat())
      values.push_back(v);
  }
}

void joinStateRanges(mlir::ModuleOp module, Calibration &calibration,
                     const QuantizerOptions &options) {
  for (const GraphState &state : graphStates(mainGraph(module))) {
    if (!describe(state.past).isFloat())
      continue;
    llvm::SmallVector<mlir::Value> values = valuesOf(state);
    FloatRange all;
    for (mlir::Value value : values) {
      LayerOptions of = optionsOf(value.getDefiningOp(), options);
      bool isSymmetric = of.activationMethod.mode != RangeMode::Asymmetric;
      FloatRange one = calibration.range(value, of.activationBits, isSymmetric);
      all = {std::min(all.min, one.min), std::max(all.max, one.max)};
    }
    for (mlir::Value value : values)
      calibration.setRange(value, all);
  }
}

static GraphBorder borderOf(const GraphState &kept,
                            const QuantizerOptions &options,
                            QuantizerState &state) {
  TensorInfo info = describe(kept.past);
  if (info.isInteger())
    return {invariantParams(info.storedType()), /*isInvariant=*/true};
  auto source = mlir::cast<mlir::OpResult>(valuesOf(kept).back());
  mlir::Operation *op = source.getOwner();
  LayerContext layer(op, optionsOf(op, options), state);
  for (mlir::Value end : {kept.past, kept.present})
    if (auto given = givenParams(state.calibration, end, layer.options,
                                 /*prefersSigned=*/false))
      return {*given};
  unsigned index = source.getResultNumber();
  return {layer.outputParams(layer.range(index).min < 0, index)};
}

void setStateBorders(mlir::ModuleOp module, const QuantizerOptions &options,
                     QuantizerState &state) {
  for (const GraphState &kept : graphStates(mainGraph(module))) {
    // What a sub-graph gives has a form already.
    const GraphBorder *known = state.borders.of(kept.present);
    GraphBorder border = known ? *known : borderOf(kept, options, state);
    state.borders.set(kept.past, border);
    state.borders.set(kept.present, border);
  }
}

void quantizeStates(LayerContext &terminator, FloatLayers &floats) {
  auto graph = terminator.op->getParentOfType<mlir::func::FuncOp>();
  for (const GraphState &state : graphStates(graph)) {
    // A float input takes floats.
    if (!describe(state.past).isQuantized())
      continue;
    floats.quantizeOperand(terminator, state.output);
    LinearParams params = paramsOf(state.past);
    if (!isSame(terminator.input(state.output), params))
      terminator.castInput(state.output, params);
  }
}

void quantizeFirstValue(LayerContext &input, const LinearParams &params) {
  auto first = input.floats(keys::state_initial);
  if (!first)
    return;
  std::vector<int64_t> stored;
  for (float v : first->values)
    stored.push_back(quantizeValue(v, params));
  input.setTensor(keys::state_initial, first->shape,
                  integerType(params.bits, params.isSigned), stored);
}

} // namespace yarrow
