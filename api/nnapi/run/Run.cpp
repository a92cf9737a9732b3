//===- Run.cpp - One run of a model ---------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/nnapi/run/Run.h"
#include "api/nnapi/run/EmptyTensors.h"
#include "api/nnapi/run/Lengths.h"
#include "parser/nnapi/OperationTable.h"
#include "support/diagnostics/Import.h"
#include <algorithm>
#include <cstring>

using namespace yarrow;
using namespace yarrow::nnapi;

bool Run::problem(std::uint32_t operand, const std::string &what,
                  const std::string &found, const std::string &expected) {
  diags
      .report(diag::NnapiRun, {model.name + ": " + describe(model, operand)},
              what)
      .found(found)
      .expected(expected);
  return false;
}

Value Run::valueOf(std::uint32_t operand) const {
  const Operand &of = model.operands[operand];
  if (of.lifetime == Lifetime::Constant)
    return {of.dims, of.value, of.owner};
  return values[operand];
}

std::vector<Value>
Run::valuesOf(const std::vector<std::uint32_t> &operands) const {
  std::vector<Value> result;
  for (std::uint32_t operand : operands)
    result.push_back(valueOf(operand));
  return result;
}

/// Whether the lengths are those that the model states, where it does.
static bool agrees(const Operand &operand, const Value &value) {
  return !operand.isTensor() || agree(operand.dims, value.dims);
}

bool Run::set(std::uint32_t operand, Value value) {
  const Operand &of = model.operands[operand];
  if (!agrees(of, value))
    return problem(operand, "the result's lengths do not match the model",
                   dimsText(value.dims), dimsText(of.dims));
  values[operand] = std::move(value);
  return true;
}

/// An optional input that is left out: no bytes although no length is 0.
static bool isLeftOut(const Value &value) {
  return value.bytes.empty() && !isEmpty(value);
}

bool Run::checkInput(std::uint32_t operand, const Value &value) {
  if (isLeftOut(value))
    return true;
  const Operand &of = model.operands[operand];
  if (!agrees(of, value))
    return problem(operand, "the input's lengths do not match the model",
                   dimsText(value.dims), dimsText(of.dims));
  std::uint64_t sizeBytes =
      sizeBytesOf(of, of.isTensor() ? value.dims : of.dims);
  if (value.bytes.size() == sizeBytes)
    return true;
  return problem(operand, "the input's size does not match its lengths",
                 std::to_string(value.bytes.size()) + " bytes",
                 std::to_string(sizeBytes) + " bytes");
}

/// BOOL8 is true if any bit is set; layers have 0 and 1.
static Value normalized(const Operand &operand, const Value &value) {
  auto isOther = [](std::byte b) { return std::to_integer<unsigned>(b) > 1; };
  if (operand.entry().element != ElementType::Bool ||
      std::ranges::none_of(value.bytes, isOther))
    return value;
  std::vector<std::byte> bytes(value.bytes.begin(), value.bytes.end());
  for (std::byte &b : bytes)
    b = std::byte(b != std::byte(0));
  return Value::of(value.dims, std::move(bytes));
}

RunStatus Run::run(std::span<const Value> inputs, std::vector<Value> &outputs) {
  bool ok = true;
  for (std::size_t i = 0; i < model.inputs.size(); ++i) {
    std::uint32_t operand = model.inputs[i];
    ok &= checkInput(operand, inputs[i]);
    values[operand] = normalized(model.operands[operand], inputs[i]);
  }
  if (!ok)
    return RunStatus::BadData;
  for (Plan::Part &part : plan.parts) {
    if (options.deadline && RunOptions::Clock::now() > *options.deadline)
      return RunStatus::Timeout;
    const Operation &first = model.operations[part.step.operations.front()];
    RunStatus status = part.step.kind == NnStep::Kind::If      ? runIf(first)
                       : part.step.kind == NnStep::Kind::While ? runWhile(first)
                                                               : runPart(part);
    if (status != RunStatus::Done)
      return status;
  }
  outputs = valuesOf(model.outputs);
  return RunStatus::Done;
}

static std::int32_t int32At(const Value &value) {
  std::int32_t number = 0;
  std::memcpy(&number, value.bytes.data(), sizeof number);
  return number;
}

/// Cuts the results to the rows that count, which the last one tells.
static void cutRows(std::vector<Value> &results) {
  std::int32_t rows = int32At(results.back());
  results.pop_back();
  for (Value &value : results) {
    std::uint32_t all = value.dims.front();
    std::uint32_t kept = std::min(all, std::uint32_t(std::max(rows, 0)));
    value.bytes = value.bytes.first(value.bytes.size() / all * kept);
    value.dims.front() = kept;
  }
}

RunStatus Run::runPart(Plan::Part &part) {
  std::vector<Value> inputs = valuesOf(part.step.inputs);
  bool lacksElements = false;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    lacksElements |=
        isEmpty(inputs[i]) && part.step.required.contains(part.step.inputs[i]);
  if (lacksElements)
    return part.step.operations.size() == 1 ? runEmpty(part, std::move(inputs))
                                            : runAlone(part);
  return runProgram(part, inputs);
}

RunStatus Run::runProgram(Plan::Part &part, std::span<const Value> inputs) {
  auto program = part.programs->find(inputs, diags);
  if (!program)
    return RunStatus::Failed;
  std::vector<Value> kept, results;
  for (std::size_t i : program->inputs)
    kept.push_back(inputs[i]);
  if (!program->program->run(kept, results, numbers, diags))
    return RunStatus::Failed;
  if (part.step.kind == NnStep::Kind::Counted)
    cutRows(results);
  return setAll(part.step.outputs, std::move(results));
}

RunStatus Run::runAlone(Plan::Part &part) {
  for (Plan::Part &alone : plan.aloneOf(part)) {
    RunStatus status = runPart(alone);
    if (status != RunStatus::Done)
      return status;
  }
  return RunStatus::Done;
}

RunStatus Run::runEmpty(Plan::Part &part, std::vector<Value> inputs) {
  const Operation &operation = model.operations[part.step.operations.front()];
  bool isConcat =
      std::string_view(findOperation(operation.code)->name) == "CONCATENATION";
  if (isConcat && !std::ranges::all_of(inputs, isEmpty)) {
    // Those without elements are left out.
    for (Value &input : inputs)
      if (isEmpty(input))
        input = {.dims = {1}};
    return runProgram(part, inputs);
  }
  auto results = emptyResults(*part.programs, inputs, diags);
  return results ? setAll(part.step.outputs, std::move(*results))
                 : RunStatus::Failed;
}

RunStatus Run::setAll(const std::vector<std::uint32_t> &operands,
                      std::vector<Value> results) {
  bool ok = true;
  for (std::size_t i = 0; i < operands.size(); ++i)
    ok &= set(operands[i], std::move(results[i]));
  return ok ? RunStatus::Done : RunStatus::BadData;
}
