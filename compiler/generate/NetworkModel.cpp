//===- NetworkModel.cpp - Decoding by the evaluator -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/generate/TokenModel.h"
#include "dialects/compass/ConstantValues.h"
#include "dialects/compass/graph/Graphs.h"
#include "dialects/compass/graph/States.h"
#include "dialects/compass/network/Evaluator.h"

#include <cstring>

using namespace yarrow;
using namespace yarrow::compass;

namespace {

class NetworkModel final : public TokenModel {
public:
  NetworkModel(std::shared_ptr<const session::Network> from,
               mlir::func::FuncOp main, const TokenShape &shape,
               std::unique_ptr<Evaluator> given)
      : network(std::move(from)), evaluator(std::move(given)),
        states(graphStates(main)), tokenInput(callerInputs(main).front()),
        logitsOutput(callerOutputs(main).front()),
        logitsInfo(describe(graphOutputs(main)[logitsOutput])) {
    tokenCount = std::size_t(shape.outputs[0]);
    positions = positionsOf(shape);
    reset();
  }

  bool reset() override {
    values.clear();
    for (const GraphState &state : states)
      values.push_back(initialBytes(state));
    return true;
  }

  bool step(std::int32_t token, std::vector<float> &logits,
            DiagnosticEngine &diags) override {
    std::vector<TensorBytesRef> inputs(evaluator->inputs().size());
    inputs[tokenInput] = {reinterpret_cast<const char *>(&token), sizeof token};
    for (std::size_t i = 0; i < states.size(); ++i)
      inputs[states[i].input] = {values[i].data(), values[i].size()};
    std::vector<TensorBytes> outputs;
    if (EvaluationStop stop = evaluator->run(inputs, outputs)) {
      stop.report(diags);
      return false;
    }
    logits = realValues(outputs[logitsOutput]);
    for (std::size_t i = 0; i < states.size(); ++i)
      values[i] = std::move(outputs[states[i].output]);
    return true;
  }

private:
  std::vector<float> realValues(const TensorBytes &bytes) const {
    ConstantView view;
    view.dtype = logitsInfo.dtype, view.shape = logitsInfo.shape;
    view.bytes = bytes;
    std::vector<float> reals = floatsOf(view);
    if (logitsInfo.isQuantized())
      for (float &value : reals)
        value = (value + float(logitsInfo.zp)) / logitsInfo.scale;
    return reals;
  }

  std::shared_ptr<const session::Network> network; ///< Has the layers.
  std::unique_ptr<Evaluator> evaluator;
  llvm::SmallVector<GraphState> states;
  std::vector<std::vector<char>> values; ///< By state, as it is stored.
  unsigned tokenInput, logitsOutput;
  TensorInfo logitsInfo;
};

} // namespace

static TokenShape shapeOf(mlir::func::FuncOp main) {
  TokenShape shape;
  for (mlir::Value input : callerInputValues(main)) {
    shape.inputs.push_back(describe(input).numElements());
    shape.takesInt32 =
        describe(callerInputValues(main).front()).dtype == kernels::DType::I32;
  }
  for (mlir::Value output : callerOutputValues(main))
    shape.outputs.push_back(describe(output).numElements());
  for (const GraphState &state : graphStates(main)) {
    TensorInfo info = describe(state.past);
    shape.states.emplace_back(info.shape.begin(), info.shape.end());
  }
  return shape;
}

std::unique_ptr<TokenModel>
yarrow::openNetwork(std::shared_ptr<const session::Network> network,
                    DiagnosticEngine &diags) {
  auto main = mainGraph(network->module());
  TokenShape shape = shapeOf(main);
  if (!checkTokenShape(shape, network->path(), diags))
    return nullptr;
  auto evaluator = Evaluator::create(network->module(), diags);
  if (!evaluator)
    return nullptr;
  return std::make_unique<NetworkModel>(std::move(network), main, shape,
                                        std::move(evaluator));
}
