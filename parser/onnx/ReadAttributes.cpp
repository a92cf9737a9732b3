//===- ReadAttributes.cpp - Attributes of nodes ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/onnx/GraphReader.h"
#include "support/diagnostics/Import.h"

#include <bit>
#include <iterator>

using namespace yarrow;
using namespace yarrow::onnx;
using graph::Attribute;
using graph::Graph;
using graph::Node;

/// That it stands once, says its type, and has a value of it alone.
bool GraphReader::checkAttribute(const AttributeParts &a, const Node &node,
                                 std::set<std::string_view> &names) {
  // The fields of the message that hold a value, by the number of its type.
  constexpr unsigned kFieldOfType[] = {0, 2,  3,  4,  5,  6,  7, 8,
                                       9, 10, 11, 22, 23, 14, 15};
  constexpr std::int64_t kTypes = std::size(kFieldOfType);
  auto problem = [&](const std::string &what) -> Diagnostic & {
    return diags.report(diag::ImportBadNode, at(node),
                        node.op + ": the attribute " + std::string(a.name) +
                            what);
  };
  if (!names.insert(a.name).second) {
    problem(" is given twice").expected("each attribute once");
    return false;
  }
  if (a.type <= 0 || a.type >= kTypes) {
    // A reference gets its value, and the type with it, from the call.
    if (!a.reference.empty() && a.type == 0)
      return true;
    problem(" has an unknown type")
        .found("type " + std::to_string(a.type))
        .expected("1 to " + std::to_string(kTypes - 1));
    return false;
  }
  std::uint64_t values = 0;
  for (std::int64_t type = 1; type < kTypes; ++type)
    if (type != a.type)
      values |= a.fields & std::uint64_t(1) << kFieldOfType[type];
  if (!values)
    return true;
  problem(" has a type that does not match its value")
      .found("a value in field " + std::to_string(std::countr_zero(values)) +
             " of the message")
      .expected("a value in field " + std::to_string(kFieldOfType[a.type]) +
                " only, for type " + std::to_string(a.type));
  return false;
}

void GraphReader::readAttributes(const NodeParts &node, Node &out,
                                 Scope &scope) {
  std::set<std::string_view> names;
  for (Bytes bytes : node.attributes) {
    AttributeParts a;
    if (!parts(bytes, a, "an attribute of " + out.describe()))
      continue;
    if (!checkAttribute(a, out, names))
      continue;
    if (!a.reference.empty()) {
      // Of an attribute that the call leaves out the operator's default holds.
      if (scope.bindings)
        if (auto it = scope.bindings->find(a.reference);
            it != scope.bindings->end())
          out.attributes[std::string(a.name)] = it->second;
      continue;
    }
    if (auto value = attributeOf(a, scope, out))
      out.attributes[std::string(a.name)] = std::move(*value);
  }
}

std::optional<Attribute> GraphReader::attributeOf(const AttributeParts &a,
                                                  Scope &scope,
                                                  const Node &node) {
  using Kind = Attribute::Kind;
  Attribute value;
  switch (a.type) {
  case 1:
    return Attribute::of(a.number);
  case 2:
    return Attribute::of(a.integer);
  case 3:
    return Attribute::of(std::string(a.text));
  case 4: {
    auto constant = tensors.read(a.tensor, node.describe());
    if (!constant)
      return std::nullopt;
    value.kind = constant->foreignType.empty() ? Kind::Tensor : Kind::Other;
    value.text = constant->foreignType;
    if (value.text.empty())
      value.tensor = std::move(constant->constant);
    return value;
  }
  case 5: {
    value.kind = Kind::Graph;
    value.graph = std::make_shared<Graph>();
    value.graph->file = path;
    Scope inner;
    inner.outer = &scope;
    inner.prefix = scope.prefix;
    inner.bindings = scope.bindings;
    inner.sets = scope.sets;
    inner.depth = scope.depth + 1;
    readGraph(a.graph, *value.graph, inner, /*isMain=*/false);
    return value;
  }
  case 6:
    value.kind = Kind::Floats;
    value.numbers = a.numbers;
    return value;
  case 7:
    return Attribute::of(a.integers);
  case 8:
    value.kind = Kind::Strings;
    for (std::string_view text : a.texts)
      value.texts.emplace_back(text);
    return value;
  default:
    return value; // Kind::Other
  }
}
