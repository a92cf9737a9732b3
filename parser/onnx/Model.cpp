//===- Model.cpp - The parts of an ONNX model as views --------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The numbers of the fields are those of the public format.
//
//===----------------------------------------------------------------------===//
#include "parser/onnx/Model.h"

using namespace yarrow::onnx;

static constexpr const char *kWrongList = "a list of numbers in a wrong form";
static constexpr const char *kWrongKind = "a field of a wrong wire type";

/// Calls \p take with each field; what is wrong, or null.
template <typename Take> static const char *eachField(Bytes bytes, Take take) {
  WireReader wire(bytes);
  while (auto field = wire.next())
    if (const char *problem = take(*field))
      return problem;
  return wire.error();
}

template <typename T>
static const char *appendBytes(const WireField &field, std::vector<T> &out) {
  if (!field.isBytes())
    return kWrongKind;
  if constexpr (std::is_same_v<T, Bytes>)
    out.push_back(field.bytes);
  else
    out.push_back(field.text());
  return nullptr;
}

static std::string plainDomain(std::string_view domain) {
  return domain == "ai.onnx" ? std::string() : std::string(domain);
}

static const char *parseOperatorSet(Bytes bytes, OperatorSets &sets) {
  std::string domain;
  std::int64_t version = 0;
  const char *problem =
      eachField(bytes, [&](const WireField &field) -> const char * {
        if (field.number == 1)
          domain = plainDomain(field.text());
        else if (field.number == 2)
          version = field.asInt();
        return nullptr;
      });
  sets[domain] = version;
  return problem;
}

const char *yarrow::onnx::parse(Bytes bytes, ModelParts &model) {
  return eachField(bytes, [&](const WireField &field) -> const char * {
    switch (field.number) {
    case 1:
      model.irVersion = field.asInt();
      return nullptr;
    case 7:
      if (!field.isBytes() || model.hasGraph)
        return "two graphs, or a graph with a wrong wire type";
      model.graph = field.bytes;
      model.hasGraph = true;
      return nullptr;
    case 8:
      return parseOperatorSet(field.bytes, model.operatorSets);
    case 25:
      return appendBytes(field, model.functions);
    default:
      return nullptr;
    }
  });
}

const char *yarrow::onnx::parse(Bytes bytes, GraphParts &graph) {
  return eachField(bytes, [&](const WireField &field) -> const char * {
    switch (field.number) {
    case 1:
      return appendBytes(field, graph.nodes);
    case 2:
      graph.name = field.text();
      return nullptr;
    case 5:
      return appendBytes(field, graph.initializers);
    case 11:
      return appendBytes(field, graph.inputs);
    case 12:
      return appendBytes(field, graph.outputs);
    case 13:
      return appendBytes(field, graph.valueInfos);
    case 15:
      return appendBytes(field, graph.sparse);
    default:
      return nullptr;
    }
  });
}

const char *yarrow::onnx::parse(Bytes bytes, NodeParts &node) {
  return eachField(bytes, [&](const WireField &field) -> const char * {
    switch (field.number) {
    case 1:
      return appendBytes(field, node.inputs);
    case 2:
      return appendBytes(field, node.outputs);
    case 3:
      node.name = field.text();
      return nullptr;
    case 4:
      node.op = field.text();
      return nullptr;
    case 5:
      return appendBytes(field, node.attributes);
    case 7:
      node.domain = plainDomain(field.text());
      return nullptr;
    case 8:
      node.overload = field.text();
      return nullptr;
    default:
      return nullptr;
    }
  });
}

const char *yarrow::onnx::parse(Bytes bytes, AttributeParts &a) {
  return eachField(bytes, [&](const WireField &field) -> const char * {
    if (field.number < 64)
      a.fields |= std::uint64_t(1) << field.number;
    switch (field.number) {
    case 1:
      a.name = field.text();
      return nullptr;
    case 2:
      a.number = field.asFloat();
      return nullptr;
    case 3:
      a.integer = field.asInt();
      return nullptr;
    case 4:
      a.text = field.text();
      return nullptr;
    case 5:
      a.tensor = field.bytes;
      return nullptr;
    case 6:
      a.graph = field.bytes;
      return nullptr;
    case 7:
      return appendFloats(field, a.numbers) ? nullptr : kWrongList;
    case 8:
      return appendVarints(field, a.integers) ? nullptr : kWrongList;
    case 9:
      return appendBytes(field, a.texts);
    case 20:
      a.type = field.asInt();
      return nullptr;
    case 21:
      a.reference = field.text();
      return nullptr;
    default:
      return nullptr;
    }
  });
}

static const char *parseLength(Bytes bytes, ValueParts &value) {
  std::int64_t length = -1;
  std::string_view symbol;
  const char *problem =
      eachField(bytes, [&](const WireField &field) -> const char * {
        if (field.number == 1)
          length = field.asInt() < 0 ? -1 : field.asInt();
        else if (field.number == 2)
          symbol = field.text();
        return nullptr;
      });
  value.lengths.push_back(length);
  value.symbols.push_back(symbol);
  return problem;
}

static const char *parseTensorType(Bytes bytes, ValueParts &value) {
  return eachField(bytes, [&](const WireField &field) -> const char * {
    if (field.number == 1)
      value.elementType = field.asInt();
    if (field.number != 2)
      return nullptr;
    value.hasShape = true;
    return eachField(field.bytes, [&](const WireField &dim) -> const char * {
      return dim.number == 1 ? parseLength(dim.bytes, value) : nullptr;
    });
  });
}

const char *yarrow::onnx::parse(Bytes bytes, ValueParts &value) {
  return eachField(bytes, [&](const WireField &field) -> const char * {
    if (field.number == 1)
      value.name = field.text();
    if (field.number != 2)
      return nullptr;
    return eachField(field.bytes, [&](const WireField &type) -> const char * {
      switch (type.number) {
      case 1:
        return parseTensorType(type.bytes, value);
      case 4:
        value.otherKind = "sequence";
        return nullptr;
      case 5:
        value.otherKind = "map";
        return nullptr;
      case 8:
        value.otherKind = "sparse tensor";
        return nullptr;
      case 9:
        value.otherKind = "optional";
        return nullptr;
      default:
        return nullptr;
      }
    });
  });
}

const char *yarrow::onnx::parse(Bytes bytes, FunctionParts &function) {
  return eachField(bytes, [&](const WireField &field) -> const char * {
    switch (field.number) {
    case 1:
      function.name = field.text();
      return nullptr;
    case 4:
      return appendBytes(field, function.inputs);
    case 5:
      return appendBytes(field, function.outputs);
    case 7:
      return appendBytes(field, function.nodes);
    case 9:
      return parseOperatorSet(field.bytes, function.operatorSets);
    case 10:
      function.domain = plainDomain(field.text());
      return nullptr;
    case 11:
      return appendBytes(field, function.defaults);
    case 13:
      function.overload = field.text();
      return nullptr;
    default:
      return nullptr;
    }
  });
}
