//===- TypeCheck.cpp - Types of a model's tensors -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/onnx/TypeCheck.h"
#include "parser/onnx/OperatorRecords.h"
#include "parser/onnx/TensorReader.h"
#include "support/diagnostics/Import.h"
#include <bit>
#include <map>

using namespace yarrow;
using namespace yarrow::onnx;
using graph::Attribute;
using graph::Graph;
using graph::Node;
using graph::Tensor;

namespace {

std::string nameOf(ElementType type) {
  return elementTypeName(elementNumber(type));
}

class TypeChecker {
public:
  TypeChecker(const std::string &path, DiagnosticEngine &diags)
      : path(path), diags(diags) {}

  void check(const Graph &graph) {
    for (const auto &node : graph.nodes) {
      for (auto &[key, attribute] : node->attributes)
        if (attribute.graph)
          check(*attribute.graph);
      const OperatorRecord *record =
          node->domain.empty() ? findRecord(node->op) : nullptr;
      if (record)
        checkNode(*node, record->signature(node->version));
      for (const Tensor *output : node->outputs)
        if (output)
          checkStated(*node, *output);
    }
  }

private:
  using Type = std::optional<ElementType>;
  struct Bound {
    Type type;
    const Tensor *by = nullptr;
  };
  /// What the variables of one signature stand for.
  using Bindings = std::map<unsigned, Bound>;

  Type typeOf(const Tensor &tensor) const {
    auto it = types.find(&tensor);
    return it == types.end() ? tensor.type : it->second;
  }

  Diagnostic &problem(const Node &node, const std::string &what) {
    return diags.report(diag::ImportBadNode, {path + ": " + node.describe()},
                        node.op + ": " + what);
  }

  void checkNode(const Node &node, const Signature &signature) {
    Bindings bindings;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const TensorRecord *record = recordAt(signature.inputs, i);
      if (record && node.inputs[i])
        takeInput(node, *record, *node.inputs[i], bindings);
    }
    Type stated = typeByAttribute(node);
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      const TensorRecord *record = recordAt(signature.outputs, i);
      if (!record || !node.outputs[i])
        continue;
      Type type = bindings[record->variable].type;
      if (!type && std::has_single_bit(record->types))
        type = ElementType(std::countr_zero(record->types));
      types[node.outputs[i]] = type ? type : stated;
    }
  }

  void takeInput(const Node &node, const TensorRecord &record,
                 const Tensor &tensor, Bindings &bindings) {
    Type type = typeOf(tensor);
    if (!type)
      return;
    if (!(record.types & bitOf(*type))) {
      problem(node, "an input has a type that the operator does not accept")
          .found(nameOf(*type) + " of tensor " + tensor.name)
          .expected(typeNames(record.types));
      return;
    }
    if (!record.variable)
      return;
    Bound &bound = bindings[record.variable];
    if (!bound.type)
      bound = {type, &tensor};
    else if (bound.type != type)
      problem(node, "inputs have different types")
          .found(nameOf(*type) + " of tensor " + tensor.name + ", " +
                 nameOf(*bound.type) + " of tensor " + bound.by->name)
          .expected("the same type for both");
  }

  /// Of an operator whose attribute says what it makes.
  static Type typeByAttribute(const Node &node) {
    for (const char *key : {"to", "dtype", "output_dtype", "output_datatype"})
      if (std::int64_t number = node.integer(key, 0))
        return elementTypeOf(number);
    const Attribute *value = node.attribute("value");
    return value && value->tensor ? Type(value->tensor->type) : std::nullopt;
  }

  void checkStated(const Node &node, const Tensor &tensor) {
    Type &type = types[&tensor];
    if (type && tensor.declaredType && type != tensor.declaredType)
      problem(node,
              "the file states a wrong type for the result " + tensor.name)
          .found(nameOf(*tensor.declaredType))
          .expected(nameOf(*type));
    if (!type)
      type = tensor.declaredType;
  }

  const std::string &path;
  DiagnosticEngine &diags;
  /// Of what nodes make; inputs and constants have theirs.
  std::map<const Tensor *, Type> types;
};

} // namespace

void onnx::checkTypes(const Graph &graph, const std::string &path,
                      DiagnosticEngine &diags) {
  TypeChecker(path, diags).check(graph);
}
