//===- ModelRunner.cpp - Runs models of NNAPI -----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/nnapi/run/ModelRunner.h"
#include "api/nnapi/run/Run.h"

using namespace yarrow;
using namespace yarrow::nnapi;

struct ModelRunner::State {
  State(const std::shared_ptr<const NnModel> &model,
        std::shared_ptr<Backend> backend)
      : plans(std::move(backend)), main(plans.of(model)) {}
  Plans plans;
  Plan &main;
};

ModelRunner::ModelRunner(const std::shared_ptr<const NnModel> &model,
                         std::shared_ptr<Backend> backend)
    : state(std::make_unique<State>(model, std::move(backend))) {}

ModelRunner::~ModelRunner() = default;

bool ModelRunner::prepare(DiagnosticEngine &diags) {
  return state->plans.prepare(diags);
}

RunStatus ModelRunner::run(std::span<const Value> inputs,
                           std::vector<Value> &outputs,
                           const RunOptions &options, RunNumbers &numbers,
                           DiagnosticEngine &diags) {
  return Run(state->main, options, numbers, diags).run(inputs, outputs);
}
