//===- OpReader.cpp - An operator of QNN as nodes -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/OpReader.h"

#include "support/diagnostics/Import.h"
#include <cassert>

using namespace yarrow;
using namespace yarrow::qnn;
using graph::Attribute;
using graph::Constant;
using graph::Node;
using graph::Tensor;

Constant qnn::constantOf(const QnnTensor &tensor) {
  Constant value{tensor.entry().element, tensor.dims, tensor.value,
                 tensor.owner};
  if (value.type == ElementType::F16 || value.type == ElementType::F64) {
    std::vector<float> floats;
    floats.reserve(std::size_t(value.numElements()));
    for (std::int64_t i = 0; i < value.numElements(); ++i)
      floats.push_back(float(value.numberAt(i)));
    return Constant::ofFloats(value.shape, floats);
  }
  if (tensor.entry().numBits() < 8 || tensor.encoding.bitWidth == 4)
    value.narrowBits = 4;
  return value;
}

/// By the first result, as nodes of other formats are.
static std::string nameOf(const QnnNode &node,
                          const std::vector<Tensor *> &outputs) {
  for (const Tensor *output : outputs)
    if (output)
      return output->name;
  return node.name;
}

OpReader::OpReader(graph::Graph &graph, const QnnModel &model,
                   const QnnNode &node, const OpEntry &entry,
                   std::vector<Tensor *> inputs, std::vector<Tensor *> outputs,
                   DiagnosticEngine &diags)
    : NodeMaker(graph, nameOf(node, outputs)), model(model), node(node),
      entry(entry), inputs(std::move(inputs)), outputs(std::move(outputs)),
      diags(diags) {}

std::vector<double> OpReader::valuesOf(std::string_view param) const {
  if (const QnnParam *stated = node.param(param))
    return constantOf(stated->tensor).numbers();
  const ParamRow *row = entry.param(param);
  assert(row && "a parameter of the record");
  return row->defaults;
}

std::int64_t OpReader::scalar(std::string_view param,
                              std::int64_t fallback) const {
  std::vector<double> values = valuesOf(param);
  return values.empty() ? fallback : std::int64_t(values[0]);
}

double OpReader::real(std::string_view param, double fallback) const {
  std::vector<double> values = valuesOf(param);
  return values.empty() ? fallback : values[0];
}

std::vector<std::int64_t> OpReader::integers(std::string_view param) const {
  std::vector<std::int64_t> result;
  for (double value : valuesOf(param))
    result.push_back(std::int64_t(value));
  return result;
}

std::vector<double> OpReader::reals(std::string_view param) const {
  return valuesOf(param);
}

std::optional<std::vector<std::int64_t>> OpReader::integersOf(std::size_t i) {
  if (has(i) && input(i)->constant)
    return input(i)->constant->integers();
  refuse("in[" + std::to_string(i) + "] is computed at run time",
         has(i) ? "tensor " + input(i)->name : "no tensor", "a static tensor");
  return std::nullopt;
}

Node &OpReader::result(std::string op, std::vector<Tensor *> from) {
  return add(std::move(op), std::move(from), outputs);
}

Node &OpReader::resultOf(const char *domain, std::string op,
                         std::vector<Tensor *> from) {
  Node &made = result(std::move(op), std::move(from));
  made.domain = domain;
  return made;
}

Node &OpReader::movedResult(std::string op, std::vector<Tensor *> from,
                            const Tensor *source) {
  return addMoved(std::move(op), std::move(from), *source, outputs);
}

Tensor *OpReader::reshaped(Tensor *x, const std::vector<std::int64_t> &dims,
                           const std::string &what) {
  Tensor *y = storedLike(*x, what);
  add("Reshape", {x, NodeMaker::integers(what + "_shape", dims)}, {y})
      .attributes["allowzero"] = Attribute::of(std::int64_t(1));
  return y;
}

void OpReader::reshapeTo(Tensor *x, std::size_t i) {
  addMoved("Reshape", {x, NodeMaker::integers("shape", outputDims(i))}, *x,
           {outputs[i]})
      .attributes["allowzero"] = Attribute::of(std::int64_t(1));
}

bool OpReader::refuse(const std::string &what, const std::string &found,
                      const std::string &expected) {
  diags
      .report(diag::ImportForm, node.place,
              "node " + node.name + " (" + entry.name + "): " + what)
      .found(found)
      .expected(expected);
  return false;
}

bool OpReader::bad(const std::string &what, const std::string &found,
                   const std::string &expected) {
  diags
      .report(diag::QnnNode, node.place,
              "node " + node.name + " (" + entry.name + "): " + what)
      .found(found)
      .expected(expected);
  return false;
}
