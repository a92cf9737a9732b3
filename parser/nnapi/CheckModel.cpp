//===- CheckModel.cpp - What NNAPI asks of a model ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/CheckModel.h"

#include "support/diagnostics/Import.h"
#include <algorithm>
#include <map>
#include <queue>
#include <set>

using namespace yarrow;
using namespace yarrow::nnapi;

namespace {

class ModelChecker {
public:
  ModelChecker(const NnModel &model, int featureLevel, DiagnosticEngine &diags)
      : model(model), featureLevel(featureLevel), diags(diags) {}

  void check();

private:
  Diagnostic &report(const std::string &what) {
    return diags.report(diag::NnapiModel, {model.name}, what);
  }
  Diagnostic &report(std::uint32_t operand, const std::string &what) {
    return report(describe(model, operand) + ": " + what);
  }
  void checkOperands();
  void checkConstant(std::uint32_t index);
  void checkEdges(const char *what, const std::vector<std::uint32_t> &indices,
                  Lifetime lifetime);
  bool operandsExist() const;
  void checkWriters();
  void checkReferenced();

  const NnModel &model;
  int featureLevel;
  DiagnosticEngine &diags;
};

bool isWritten(Lifetime lifetime) {
  return lifetime == Lifetime::Temporary || lifetime == Lifetime::Output;
}

} // namespace

void ModelChecker::checkConstant(std::uint32_t index) {
  const Operand &operand = model.operands[index];
  if (!operand.isStatic()) {
    report(index, "all lengths of a constant must be known");
    return;
  }
  if (operand.value.size() != operand.sizeBytes())
    report(index, "the size of the value does not match the operand")
        .found(std::to_string(operand.value.size()) + " bytes")
        .expected(std::to_string(operand.sizeBytes()) + " bytes");
}

void ModelChecker::checkOperands() {
  for (std::uint32_t i = 0; i < model.operands.size(); ++i) {
    const Operand &operand = model.operands[i];
    std::string why;
    if (!checkOperand(operand, &why)) {
      report(i, why);
      continue;
    }
    const OperandTypeEntry &type = operand.entry();
    if (type.storage == Storage::PerChannel && !checkChannels(operand, &why))
      report(i, why);
    if (operand.lifetime == Lifetime::Constant)
      checkConstant(i);
    if ((operand.lifetime == Lifetime::Model) !=
        (operand.type == OperandType::MODEL))
      report(
          i,
          "operands of type MODEL, and only those, have a model as their value")
          .found(type.name);
  }
}

void ModelChecker::checkEdges(const char *what,
                              const std::vector<std::uint32_t> &indices,
                              Lifetime lifetime) {
  std::set<std::uint32_t> seen;
  for (std::uint32_t index : indices) {
    if (index >= model.operands.size())
      report(std::string(what) + " of the model do not exist")
          .found(describe(model, index))
          .expected("below " + std::to_string(model.operands.size()));
    else if (!seen.insert(index).second)
      report(index, std::string("is listed twice among the ") + what +
                        " of the model");
    else if (model.operands[index].lifetime != lifetime)
      report(index, std::string("cannot be one of the ") + what +
                        " of the model: it is a constant, or both an input and "
                        "an output");
  }
  for (std::uint32_t i = 0; i < model.operands.size(); ++i)
    if (model.operands[i].lifetime == lifetime && !seen.contains(i))
      report(i, std::string("is not among the ") + what + " of the model");
}

bool ModelChecker::operandsExist() const {
  auto exist = [&](const std::vector<std::uint32_t> &indices) {
    return std::ranges::all_of(indices, [&](std::uint32_t index) {
      return index < model.operands.size();
    });
  };
  return std::ranges::all_of(model.operations, [&](const Operation &operation) {
    return exist(operation.inputs) && exist(operation.outputs);
  });
}

void ModelChecker::checkWriters() {
  std::vector<std::size_t> writers(model.operands.size());
  for (const Operation &operation : model.operations)
    for (std::uint32_t output : operation.outputs)
      ++writers[output];
  // What is no variable and is written all the same, checkOperation() tells.
  for (std::uint32_t i = 0; i < model.operands.size(); ++i)
    if (isWritten(model.operands[i].lifetime) && writers[i] != 1)
      report(i, writers[i] ? "several operations write it"
                           : "no operation writes it")
          .found(std::to_string(writers[i]) + " operations")
          .expected("one");
  if (!orderOf(model))
    report("operations depend on each other in a cycle")
        .expected("an order in which the inputs of each operation are already "
                  "written");
}

void ModelChecker::checkReferenced() {
  for (std::uint32_t i = 0; i < model.operands.size(); ++i) {
    const Operand &operand = model.operands[i];
    if (operand.lifetime == Lifetime::Model &&
        (operand.modelIndex >= model.referenced.size() ||
         !model.referenced[operand.modelIndex]))
      report(i, "refers to a model that does not exist");
  }
}

void ModelChecker::check() {
  std::size_t before = diags.all().size();
  if (model.operations.empty())
    report("has no operations");
  if (model.outputs.empty())
    report("has no outputs");
  checkOperands();
  checkEdges("inputs", model.inputs, Lifetime::Input);
  checkEdges("outputs", model.outputs, Lifetime::Output);
  checkReferenced();
  // Operations are looked at where their operands can be.
  if (diags.all().size() != before)
    return;
  for (const Operation &operation : model.operations)
    checkFinishedOperation(model, operation, featureLevel, diags);
  if (operandsExist())
    checkWriters();
}

/// Whether models lie within one another deeper than kMostNestedModels. Each is
/// looked at again when it is found deeper: a shared one may be at many depths.
static bool isNestedTooDeep(const NnModel &model) {
  std::map<const NnModel *, int> depths = {{&model, 0}};
  std::vector<const NnModel *> open = {&model};
  while (!open.empty()) {
    const NnModel *outer = open.back();
    open.pop_back();
    int depth = depths[outer] + 1;
    for (const auto &inner : outer->referenced) {
      if (!inner)
        continue;
      auto [it, isNew] = depths.emplace(inner.get(), depth);
      if (!isNew && it->second >= depth)
        continue;
      if (depth > kMostNestedModels)
        return true;
      it->second = depth;
      open.push_back(inner.get());
    }
  }
  return false;
}

bool nnapi::checkModel(const NnModel &model, int featureLevel,
                       DiagnosticEngine &diags) {
  DiagnosticEngine own;
  // Each once, and not by recursion: several operations may share a model, and
  // a client may nest them as deep as memory allows.
  std::vector<const NnModel *> models = {&model};
  std::set<const NnModel *> seen = {&model};
  for (std::size_t i = 0; i < models.size(); ++i) {
    ModelChecker(*models[i], featureLevel, own).check();
    for (const auto &other : models[i]->referenced)
      if (other && seen.insert(other.get()).second)
        models.push_back(other.get());
  }
  if (isNestedTooDeep(model))
    own.report(diag::NnapiModel, {model.name},
               "models of IF and WHILE are nested too deeply")
        .found("more than " + std::to_string(kMostNestedModels))
        .expected("up to " + std::to_string(kMostNestedModels));
  for (const Diagnostic &d : own.all())
    diags.add(d);
  return !own.hasErrors();
}

std::optional<std::vector<std::size_t>> nnapi::orderOf(const NnModel &model) {
  // Of each operand who reads it, of each operation what it waits for.
  std::vector<std::vector<std::size_t>> readers(model.operands.size());
  std::vector<bool> written(model.operands.size());
  std::vector<std::size_t> missing(model.operations.size());
  for (const Operation &operation : model.operations)
    for (std::uint32_t output : operation.outputs)
      written[output] = isWritten(model.operands[output].lifetime);
  // The lowest number first keeps the client's order where that is one.
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>>
      ready;
  for (std::size_t i = 0; i < model.operations.size(); ++i) {
    for (std::uint32_t input : model.operations[i].inputs)
      if (written[input]) {
        readers[input].push_back(i);
        ++missing[i];
      }
    if (missing[i] == 0)
      ready.push(i);
  }
  std::vector<std::size_t> order;
  while (!ready.empty()) {
    std::size_t next = ready.top();
    ready.pop();
    order.push_back(next);
    for (std::uint32_t output : model.operations[next].outputs) {
      for (std::size_t reader : readers[output])
        if (--missing[reader] == 0)
          ready.push(reader);
      readers[output].clear(); // One that is written twice is there once.
    }
  }
  if (order.size() != model.operations.size())
    return std::nullopt;
  return order;
}
