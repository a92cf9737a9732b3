//===- Parts.cpp - A model in parts that can be compiled ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/nnapi/run/Parts.h"
#include "parser/nnapi/OperationTable.h"
#include <algorithm>
#include <map>

using namespace yarrow;
using namespace yarrow::nnapi;

namespace {

NnStep::Kind kindOf(const OperationEntry &entry) {
  std::string_view name = entry.name;
  return name == "IF"                    ? NnStep::Kind::If
         : name == "WHILE"               ? NnStep::Kind::While
         : hasCountedResults(entry.code) ? NnStep::Kind::Counted
                                         : NnStep::Kind::Part;
}

/// The inputs of an operation whose values its layers are made of.
std::vector<std::uint32_t> neededValues(const NnModel &model,
                                        const Operation &operation) {
  std::vector<std::uint32_t> needed;
  const OperationEntry *entry = findOperation(operation.code);
  auto match = matchForm(*entry, model, operation);
  for (std::size_t i = 0; match && i < operation.inputs.size(); ++i) {
    const Operand &operand = model.operands[operation.inputs[i]];
    bool isNeeded = !operand.isTensor() || match->rows[i]->isConstant;
    if (isNeeded && operand.lifetime != Lifetime::Constant &&
        operand.lifetime != Lifetime::None &&
        operand.lifetime != Lifetime::Model)
      needed.push_back(operation.inputs[i]);
  }
  return needed;
}

class Divider {
public:
  Divider(const NnModel &model, const std::vector<std::size_t> &order)
      : model(model), order(order) {}

  std::vector<NnStep> divide() {
    for (std::size_t number : order)
      take(number);
    addOutputs();
    return std::move(steps);
  }

private:
  void take(std::size_t number);
  bool mustBegin(NnStep::Kind kind, const Operation &operation,
                 const std::vector<std::uint32_t> &needed) const;
  void addOutputs();

  const NnModel &model;
  const std::vector<std::size_t> &order;
  std::vector<NnStep> steps;
  std::set<std::uint32_t> written; ///< In the last step.
};

} // namespace

bool Divider::mustBegin(NnStep::Kind kind, const Operation &operation,
                        const std::vector<std::uint32_t> &needed) const {
  if (steps.empty() || kind != NnStep::Kind::Part ||
      steps.back().kind != NnStep::Kind::Part)
    return true;
  auto isWritten = [&](std::uint32_t operand) {
    return written.contains(operand);
  };
  auto isOpen = [&](std::uint32_t operand) {
    return isWritten(operand) && !model.operands[operand].isStatic();
  };
  return std::ranges::any_of(needed, isWritten) ||
         std::ranges::any_of(operation.inputs, isOpen);
}

void Divider::take(std::size_t number) {
  const Operation &operation = model.operations[number];
  NnStep::Kind kind = kindOf(*findOperation(operation.code));
  std::vector<std::uint32_t> needed = neededValues(model, operation);
  if (mustBegin(kind, operation, needed)) {
    steps.push_back({kind});
    written.clear();
  }
  NnStep &step = steps.back();
  step.operations.push_back(number);
  for (std::uint32_t input : operation.inputs) {
    Lifetime lifetime = model.operands[input].lifetime;
    bool isInput = lifetime != Lifetime::Constant &&
                   lifetime != Lifetime::None && lifetime != Lifetime::Model &&
                   !written.contains(input);
    if (isInput && std::ranges::find(step.inputs, input) == step.inputs.end())
      step.inputs.push_back(input);
  }
  step.frozen.insert(needed.begin(), needed.end());
  auto match = matchForm(*findOperation(operation.code), model, operation);
  for (std::size_t i = 0; match && i < operation.inputs.size(); ++i)
    if (match->rows[i]->kind != OperandRow::Kind::Optional)
      step.required.insert(operation.inputs[i]);
  written.insert(operation.outputs.begin(), operation.outputs.end());
}

void Divider::addOutputs() {
  std::map<std::uint32_t, std::size_t> writer;
  for (std::size_t s = 0; s < steps.size(); ++s)
    for (std::size_t number : steps[s].operations)
      for (std::uint32_t output : model.operations[number].outputs)
        writer[output] = s;
  std::set<std::uint32_t> read(model.outputs.begin(), model.outputs.end());
  for (const NnStep &step : steps)
    read.insert(step.inputs.begin(), step.inputs.end());
  for (NnStep &step : steps)
    for (std::size_t number : step.operations)
      for (std::uint32_t output : model.operations[number].outputs)
        if (read.contains(output) || step.kind == NnStep::Kind::Counted)
          step.outputs.push_back(output);
}

std::vector<NnStep> nnapi::stepsOf(const NnModel &model,
                                   const std::vector<std::size_t> &order) {
  return Divider(model, order).divide();
}

NnStep nnapi::stepOf(const NnModel &model, std::size_t operation) {
  NnStep step = std::move(stepsOf(model, {operation}).front());
  step.outputs = model.operations[operation].outputs;
  return step;
}

NnModel nnapi::partOf(const NnModel &model, const NnStep &step) {
  NnModel part;
  part.name = model.name;
  part.isRelaxed = model.isRelaxed;
  std::map<std::uint32_t, std::uint32_t> numbers;
  auto numberOf = [&](std::uint32_t operand) {
    auto [it, isNew] = numbers.try_emplace(operand, 0);
    if (isNew) {
      it->second = part.add(model.operands[operand]);
      Operand &copy = part.operands.back();
      if (copy.lifetime == Lifetime::Input || copy.lifetime == Lifetime::Output)
        copy.lifetime = Lifetime::Temporary;
    }
    return it->second;
  };
  for (std::uint32_t input : step.inputs) {
    part.inputs.push_back(numberOf(input));
    part.operands.back().lifetime = Lifetime::Input;
  }
  for (std::size_t number : step.operations) {
    Operation operation = model.operations[number];
    for (std::uint32_t &operand : operation.inputs)
      operand = numberOf(operand);
    for (std::uint32_t &operand : operation.outputs)
      operand = numberOf(operand);
    part.operations.push_back(std::move(operation));
  }
  for (std::uint32_t output : step.outputs) {
    part.outputs.push_back(numberOf(output));
    part.operands[part.outputs.back()].lifetime = Lifetime::Output;
  }
  return part;
}
