//===- Run.h - One run of a model -------------------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Goes through the steps of a plan with the values that operands have. Runs of
// branches and loop bodies are runs of their plans.
//
//   RunStatus status = Run(plan, options, numbers, diags).run(inputs, outputs);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_NNAPI_RUN_RUN_H
#define YARROW_API_NNAPI_RUN_RUN_H

#include "api/nnapi/run/Plan.h"
#include "api/nnapi/run/RunOptions.h"

namespace yarrow::nnapi {

class Run {
public:
  Run(Plan &plan, const RunOptions &options, RunNumbers &numbers,
      DiagnosticEngine &diags)
      : plan(plan), model(plan.model()), options(options), numbers(numbers),
        diags(diags), values(model.operands.size()) {}

  RunStatus run(std::span<const Value> inputs, std::vector<Value> &outputs);

private:
  RunStatus runPart(Plan::Part &part);
  /// Of inputs that have elements.
  RunStatus runProgram(Plan::Part &part, std::span<const Value> inputs);
  /// Operation by operation.
  RunStatus runAlone(Plan::Part &part);
  /// A part of one operation with inputs that have no elements.
  RunStatus runEmpty(Plan::Part &part, std::vector<Value> inputs);
  RunStatus runIf(const Operation &operation);
  RunStatus runWhile(const Operation &operation);
  /// Of the model that an operand is.
  RunStatus runInner(std::uint32_t modelOperand, std::span<const Value> inputs,
                     std::vector<Value> &outputs);
  std::optional<bool> truthOf(const Value &condition);
  Value valueOf(std::uint32_t operand) const;
  std::vector<Value> valuesOf(const std::vector<std::uint32_t> &operands) const;
  bool checkInput(std::uint32_t operand, const Value &value);
  RunStatus setAll(const std::vector<std::uint32_t> &operands,
                   std::vector<Value> results);
  bool set(std::uint32_t operand, Value value);
  bool problem(std::uint32_t operand, const std::string &what,
               const std::string &found, const std::string &expected);

  Plan &plan;
  const NnModel &model;
  const RunOptions &options;
  RunNumbers &numbers;
  DiagnosticEngine &diags;
  std::vector<Value> values; ///< By operand.
};

} // namespace yarrow::nnapi

#endif // YARROW_API_NNAPI_RUN_RUN_H
