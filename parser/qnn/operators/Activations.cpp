//===- Activations.cpp - Activations --------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/operators/Elementwise.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::qnn;
using graph::Attribute;
using graph::Tensor;

static bool clip(OpReader &r, double least, double most) {
  r.result("Clip", {r.input(0), r.number("least", float(least)),
                    r.number("most", float(most))});
  return true;
}

bool qnn::readClip(OpReader &r) {
  bool isRelu6 = r.entry.name == std::string_view("Relu6");
  return clip(r, isRelu6 ? 0 : -1, isRelu6 ? 6 : 1);
}

bool qnn::readReluMinMax(OpReader &r) {
  for (const char *param : {"min_value", "max_value"})
    if (!r.states(param))
      return r.bad(std::string(param) + " is missing", "nothing", "a number");
  double least = r.real("min_value"), most = r.real("max_value");
  if (!(least <= most))
    return r.bad("min_value is above max_value",
                 std::to_string(least) + " and " + std::to_string(most),
                 "min_value not above max_value");
  return clip(r, least, most);
}

bool qnn::readElu(OpReader &r) {
  r.result("Elu", {r.input(0)}).attributes["alpha"] =
      Attribute::of(float(r.real("alpha", 1)));
  return true;
}

bool qnn::readGelu(OpReader &r) {
  r.result("Gelu", {r.input(0)}).attributes["approximate"] =
      Attribute::of(std::string("none"));
  return true;
}

bool qnn::readPrelu(OpReader &r) {
  if (r.rank(1) > r.rank(0))
    return r.bad("the coefficients have more axes than the input",
                 dimsText(r.dims(1)), "up to those of " + dimsText(r.dims(0)));
  r.result("PRelu", r.inputs);
  return true;
}

/// ln(e^(beta x) + 1) / beta; x itself where beta x is above a threshold that
/// is not negative.
bool qnn::readSoftplus(OpReader &r) {
  double beta = r.real("beta", 1), threshold = r.real("threshold", -1);
  if (!(beta > 0))
    return r.bad("beta is out of range", std::to_string(beta), "above 0");
  if (beta == 1 && threshold < 0) {
    r.result("Softplus", {r.input(0)});
    return true;
  }
  Tensor *scaled = r.between("scaled"), *soft = r.between("soft"),
         *result = threshold < 0 ? r.output(0) : r.between("unscaled");
  r.add("Mul", {r.input(0), r.number("beta", float(beta))}, {scaled});
  r.add("Softplus", {scaled}, {soft});
  r.add("Mul", {soft, r.number("inverse", float(1 / beta))}, {result});
  if (threshold < 0)
    return true;
  Tensor *isLinear = r.between("is_linear");
  r.add("Greater", {scaled, r.number("threshold", float(threshold))},
        {isLinear});
  r.result("Where", {isLinear, r.input(0), result});
  return true;
}

static bool readHardSigmoid(OpReader &r) {
  // The defaults depend on the operation: the record has none.
  constexpr double kAlpha = 0.2, kBeta = 0.5;
  graph::Node &node = r.result("HardSigmoid", {r.input(0)});
  node.attributes["alpha"] = Attribute::of(float(r.real("alpha", kAlpha)));
  node.attributes["beta"] = Attribute::of(float(r.real("beta", kBeta)));
  return true;
}

namespace {
/// What ElementWiseNeuron's operations are, and the parameters they have.
struct NeuronRow {
  std::string_view operation, op; ///< None: this file computes it.
  std::vector<std::string_view> params;
};
} // namespace

bool qnn::readNeuron(OpReader &r) {
  static const NeuronRow kRows[] = {
      {"ELU", "Elu", {"alpha"}},
      {"GELU", "Gelu", {}},
      {"HARD_SIGMOID", "", {"alpha", "beta"}},
      {"HARD_SWISH", "HardSwish", {}},
      {"RELU", "Relu", {}},
      {"RELU_MIN_MAX", "ReluMinMax", {"min_value", "max_value"}},
      {"SIGMOID", "Sigmoid", {}},
      {"SOFTPLUS", "ElementWiseSoftplus", {"beta", "threshold"}},
      {"TANH", "Tanh", {}},
  };
  std::string operation = operationOf(r);
  const auto *row = std::ranges::find(kRows, operation, &NeuronRow::operation);
  if (row == std::end(kRows))
    return r.refuse("the operation is not supported", operation,
                    "a different operation");
  for (const ParamRow &param : r.entry.params)
    if (param.name != std::string_view("operation") && r.states(param.name) &&
        std::ranges::find(row->params, param.name) == row->params.end())
      return r.bad(std::string(param.name) +
                       " is not a parameter of operation " + operation,
                   "a value", "nothing");
  return row->op.empty() ? readHardSigmoid(r) : readAs(r, row->op);
}
