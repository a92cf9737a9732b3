//===- OperatorReader.cpp - An operator of TFLite as nodes ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/tflite/OperatorReader.h"
#include "parser/tflite/KnownIntegers.h"
#include "parser/tflite/ModelState.h"
#include "support/diagnostics/Import.h"

using namespace yarrow;
using namespace yarrow::tflite;
using graph::Attribute;
using graph::Constant;
using graph::Node;
using graph::Tensor;

namespace {
/// Of fused_activation_function, whose others are graph::FusedActivation.
constexpr std::int64_t kNone = 0, kSignBit = 5;
constexpr const char *kFusedNames[] = {"NONE",  "RELU", "RELU_N1_TO_1",
                                       "RELU6", "TANH", "SIGN_BIT"};
constexpr const char *kFusedField = "fused_activation_function";
} // namespace

std::string OperatorReader::nameOf(const OperatorEntry &entry,
                                   const std::vector<Tensor *> &outputs) {
  for (const Tensor *tensor : outputs)
    if (tensor)
      return tensor->name;
  return entry.name;
}

Tensor *OperatorReader::beforeActivation() {
  std::int64_t fused =
      options.has(kFusedField) ? options.integer(kFusedField) : kNone;
  if (fused == kNone || !output(0))
    return output(0);
  if (fused < kNone || fused >= kSignBit) {
    std::string found = fused == kSignBit ? kFusedNames[kSignBit]
                                          : "number " + std::to_string(fused);
    refuse("this activation is not supported", found,
           "NONE, RELU, RELU_N1_TO_1, RELU6 or TANH");
    return output(0);
  }
  Tensor *before = between(std::string("before_") + kFusedNames[fused]);
  before->declaredShape = output(0)->declaredShape;
  return before;
}

void OperatorReader::addActivation(Tensor *from) {
  if (from != output(0))
    addFused(graph::FusedActivation(options.integer(kFusedField)), from,
             output(0));
}

Node &OperatorReader::result(std::string op, std::vector<Tensor *> from) {
  std::vector<Tensor *> to = outputs;
  Tensor *first = beforeActivation();
  if (!to.empty())
    to[0] = first;
  Node &node = add(std::move(op), std::move(from), std::move(to));
  addActivation(first);
  return node;
}

Node &OperatorReader::tfliteResult(std::vector<Tensor *> from) {
  Node &node = result(entry.node, std::move(from));
  node.domain = kDomain;
  node.attributes = options.attributes();
  return node;
}

Node &OperatorReader::movedResult(std::string op, std::vector<Tensor *> from,
                                  std::size_t source) {
  return addMoved(std::move(op), std::move(from), *inputs[source], outputs);
}

std::optional<std::vector<std::int64_t>>
OperatorReader::integersOf(std::size_t i, const char *what) {
  if (has(i) && inputs[i]->constant && !inputs[i]->quantization)
    return inputs[i]->constant->integers();
  if (has(i))
    if (auto known = knownIntegers(graph, inputs[i]))
      return known;
  refuse(std::string(what) + " is computed at run time",
         has(i) ? "tensor " + inputs[i]->name : "no input", "a constant");
  return std::nullopt;
}

std::optional<std::int64_t> OperatorReader::integerOf(std::size_t i,
                                                      const char *what) {
  auto values = integersOf(i, what);
  if (!values)
    return std::nullopt;
  if (values->size() == 1)
    return values->front();
  bad(std::string(what) + " is not a single number",
      std::to_string(values->size()) + " numbers", "one number");
  return std::nullopt;
}

std::optional<Constant> OperatorReader::realOf(std::size_t i) const {
  if (!has(i) || !inputs[i]->constant)
    return std::nullopt;
  const Constant &c = *inputs[i]->constant;
  if (inputs[i]->quantization)
    return realConstant(c, *inputs[i]->quantization);
  std::vector<float> values;
  for (double value : c.numbers())
    values.push_back(float(value));
  return Constant::ofFloats(c.shape, values);
}

Place OperatorReader::place() const {
  return {model.path + ": node " + name()};
}

bool OperatorReader::refuse(const std::string &what, const std::string &found,
                            const std::string &expected) {
  model.diags.report(diag::ImportForm, place(), entry.name + (": " + what))
      .found(found)
      .expected(expected);
  return false;
}

bool OperatorReader::bad(const std::string &what, const std::string &found,
                         const std::string &expected) {
  model.diags.report(diag::ImportBadNode, place(), entry.name + (": " + what))
      .found(found)
      .expected(expected);
  return false;
}

bool OperatorReader::checkCounts(std::size_t least, std::size_t most,
                                 std::size_t numOutputs) {
  bool ok = inputs.size() >= least && inputs.size() <= most;
  for (std::size_t i = 0; ok && i < least; ++i)
    ok = has(i);
  if (!ok)
    return bad("the operator has a wrong number of inputs",
               std::to_string(inputs.size()),
               std::to_string(least) +
                   (most == least ? "" : " to " + std::to_string(most)));
  ok = outputs.size() == numOutputs;
  for (std::size_t i = 0; ok && i < numOutputs; ++i)
    ok = outputs[i] != nullptr;
  return ok || bad("the operator has a wrong number of outputs",
                   std::to_string(outputs.size()), std::to_string(numOutputs));
}
