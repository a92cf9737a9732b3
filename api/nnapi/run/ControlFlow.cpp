//===- ControlFlow.cpp - IF and WHILE of a run ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The host decides between programs: lengths of tensors that a loop carries may
// change from round to round, and each gets its program.
//
//===----------------------------------------------------------------------===//
#include "api/nnapi/run/Run.h"
#include "support/diagnostics/Import.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::nnapi;

std::optional<bool> Run::truthOf(const Value &condition) {
  if (condition.bytes.size() == 1)
    return condition.bytes[0] != std::byte(0);
  diags.report(diag::NnapiRun, {model.name}, "a condition is not one value")
      .found(std::to_string(condition.bytes.size()) + " values")
      .expected("one");
  return std::nullopt;
}

RunStatus Run::runInner(std::uint32_t modelOperand,
                        std::span<const Value> inputs,
                        std::vector<Value> &outputs) {
  Plan &inner = plan.inner(model.operands[modelOperand].modelIndex);
  if (inputs.size() != inner.model().inputs.size()) {
    problem(modelOperand, "the number of inputs does not match the model",
            std::to_string(inputs.size()),
            std::to_string(inner.model().inputs.size()));
    return RunStatus::BadData;
  }
  return Run(inner, options, numbers, diags).run(inputs, outputs);
}

RunStatus Run::runIf(const Operation &operation) {
  auto truth = truthOf(valueOf(operation.inputs[0]));
  if (!truth)
    return RunStatus::BadData;
  std::vector<Value> inputs = valuesOf(operation.inputs), results;
  RunStatus status = runInner(operation.inputs[*truth ? 1 : 2],
                              std::span(inputs).subspan(3), results);
  return status == RunStatus::Done
             ? setAll(operation.outputs, std::move(results))
             : status;
}

/// Its inputs are the two models, values that rounds change, and values that
/// they only read; its results the first of those that change.
RunStatus Run::runWhile(const Operation &operation) {
  std::vector<Value> inputs = valuesOf(operation.inputs);
  std::vector<Value> carried(inputs.begin() + 2, inputs.end()), results;
  auto end = RunOptions::Clock::now() + options.loopTimeout;
  while (true) {
    RunStatus status = runInner(operation.inputs[0], carried, results);
    if (status != RunStatus::Done)
      return status;
    auto goesOn = results.size() == 1 ? truthOf(results[0]) : std::nullopt;
    if (!goesOn)
      return RunStatus::BadData;
    if (!*goesOn)
      break;
    if (RunOptions::Clock::now() > end) {
      problem(operation.inputs[1], "a loop takes longer than allowed",
              "no end after " +
                  std::to_string(options.loopTimeout.count() / 1'000'000) +
                  " ms",
              "a condition that becomes false");
      return RunStatus::LoopTimeout;
    }
    status = runInner(operation.inputs[1], carried, results);
    if (status != RunStatus::Done)
      return status;
    if (results.size() > carried.size())
      return RunStatus::BadData;
    std::ranges::move(results, carried.begin());
    ++numbers.loopRounds;
  }
  carried.resize(operation.outputs.size());
  return setAll(operation.outputs, std::move(carried));
}
