//===- Elementwise.cpp - Functions of one value or several ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/operators/Elementwise.h"
#include "parser/qnn/operators/Formulas.h"

using namespace yarrow;
using namespace yarrow::qnn;
using graph::Attribute;
using graph::Tensor;

bool qnn::readSame(OpReader &r) {
  r.result(r.entry.node, r.inputs);
  return true;
}

bool qnn::readTflite(OpReader &r) {
  r.resultOf(kTfliteDomain, r.entry.node, r.inputs);
  return true;
}

Tensor *qnn::truthOf(OpReader &r, std::size_t i) {
  if (r.inputOf(i).type == DataType::BOOL_8)
    return r.input(i);
  Tensor *truth = r.between("truth_" + std::to_string(i));
  r.addCast(r.input(i), ElementType::Bool, truth);
  return truth;
}

/// What truth values are written to: the output, or a tensor that is converted
/// to the output's type behind the node.
static Tensor *truthResult(OpReader &r) {
  return r.outputOf(0).type == DataType::BOOL_8 ? r.output(0)
                                                : r.between("truth");
}

static void convertTruth(OpReader &r, Tensor *truth) {
  if (truth != r.output(0))
    Formula(r, "truth").writeWhole(truth, 0);
}

bool qnn::readLogical(OpReader &r) {
  std::vector<Tensor *> truths;
  for (std::size_t i = 0; i < r.inputs.size(); ++i)
    truths.push_back(truthOf(r, i));
  Tensor *result = truthResult(r);
  r.add(r.entry.node, truths, {result});
  convertTruth(r, result);
  return true;
}

bool qnn::readCompare(OpReader &r) {
  Tensor *result = truthResult(r);
  r.add(r.entry.node, r.inputs, {result});
  convertTruth(r, result);
  return true;
}

bool qnn::readNotEqual(OpReader &r) {
  Tensor *equal = r.between("equal"), *result = truthResult(r);
  r.add("Equal", r.inputs, {equal});
  r.add("Not", {equal}, {result});
  convertTruth(r, result);
  return true;
}

bool qnn::readMod(OpReader &r) {
  constexpr std::string_view kTruncates = "ElementWiseFmod";
  bool truncates = r.entry.name == kTruncates;
  if (!truncates && r.inputOf(0).entry().isFloat())
    return r.bad("floats do not have a remainder with the sign of the divisor",
                 r.inputOf(0).entry().name, "integers, or ElementWiseFmod");
  r.result(r.entry.node, r.inputs).attributes["fmod"] =
      Attribute::of(std::int64_t(truncates));
  return true;
}

bool qnn::readSelect(OpReader &r) {
  r.result(r.entry.node, {truthOf(r, 0), r.input(1), r.input(2)});
  return true;
}

bool qnn::readAs(OpReader &r, std::string_view op) {
  const OpEntry *entry = findOp(op);
  if (!entry || !entry->read)
    return r.refuse("the operation is not supported", std::string(op),
                    "a different operation");
  OpReader other(r.graph, r.model, r.node, *entry, r.inputs, r.outputs,
                 r.diags);
  return entry->read(other);
}

std::string qnn::operationOf(const OpReader &r) {
  for (const ParamRow::Value &value : r.entry.param("operation")->values)
    if (value.number == r.scalar("operation"))
      return value.name;
  return "";
}

/// "SQUARED_DIFFERENCE" is what ElementWiseSquaredDifference computes.
static std::string elementWise(const std::string &operation) {
  std::string name = "ElementWise";
  bool isFirst = true;
  for (char c : operation) {
    if (c != '_')
      name += isFirst ? c : char(c - 'A' + 'a');
    isFirst = c == '_';
  }
  return name;
}

bool qnn::readBinary(OpReader &r) {
  return readAs(r, elementWise(operationOf(r)));
}

bool qnn::readUnary(OpReader &r) {
  std::string operation = operationOf(r);
  if (operation == "RECIPROCAL") {
    r.result("Reciprocal", {r.input(0)});
    return true;
  }
  return readAs(r, operation == "SQRT" ? "ElementWiseSquareRoot"
                                       : elementWise(operation));
}
