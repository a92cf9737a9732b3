//===- ModelRunner.h - Runs models of NNAPI ---------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A model is run part by part: a part is a sequence of operations that can be
// compiled as soon as the lengths of its inputs, and the values that its layers
// are made of (weights, axes, shapes), are known. So values that only a run
// knows, results whose lengths depend on values, and sub-graphs (IF, WHILE),
// between which the host decides, are all one case: a model whose lengths and
// weights are constants is one part, compiled once. Programs of parts are kept
// by lengths and values.
//
//   ModelRunner runner(model, evaluatorBackend());
//   if (!runner.prepare(diags)) ...   // what can be known is compiled
//   RunStatus status = runner.run(inputs, outputs, options, numbers, diags);
//
// Runs may be made from several threads at once.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_NNAPI_RUN_MODELRUNNER_H
#define YARROW_API_NNAPI_RUN_MODELRUNNER_H

#include "api/nnapi/run/Backend.h"
#include "api/nnapi/run/RunOptions.h"

namespace yarrow::nnapi {

class ModelRunner {
public:
  /// \p model was checked (CheckModel.h).
  ModelRunner(const std::shared_ptr<const NnModel> &model,
              std::shared_ptr<Backend> backend);
  ~ModelRunner();

  /// Compiles the parts whose lengths and values the model states. False after
  /// errors: no run can succeed.
  bool prepare(DiagnosticEngine &diags);

  /// \p inputs in the model's order; an optional input that is left out has no
  /// bytes although no length is 0. \p outputs have the lengths that they have
  /// in this run.
  RunStatus run(std::span<const Value> inputs, std::vector<Value> &outputs,
                const RunOptions &options, RunNumbers &numbers,
                DiagnosticEngine &diags);

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace yarrow::nnapi

#endif // YARROW_API_NNAPI_RUN_MODELRUNNER_H
