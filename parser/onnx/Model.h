//===- Model.h - The parts of an ONNX model as views ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// One struct per message of the format that the reader needs, with strings and
// sub-messages as views of the file. Only the wire format is checked here.
//
//   ModelParts model;
//   if (const char *why = parse(bytes, model)) ...
//   for (Bytes node : parts.nodes) parse(node, nodeParts);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_ONNX_MODEL_H
#define YARROW_PARSER_ONNX_MODEL_H

#include "parser/onnx/Wire.h"
#include <map>
#include <string>

namespace yarrow::onnx {

/// Versions by domain; ONNX's own domain is "".
using OperatorSets = std::map<std::string, std::int64_t, std::less<>>;

struct ModelParts {
  std::int64_t irVersion = 0;
  OperatorSets operatorSets;
  Bytes graph = {};
  bool hasGraph = false;
  std::vector<Bytes> functions;
};

struct GraphParts {
  std::string_view name;
  std::vector<Bytes> nodes, initializers, inputs, outputs, valueInfos;
  std::vector<Bytes> sparse;
};

struct NodeParts {
  std::vector<std::string_view> inputs, outputs;
  std::string_view name, op, overload;
  std::string domain;
  std::vector<Bytes> attributes;
};

struct AttributeParts {
  std::string_view name, reference;
  std::int64_t type = 0;
  /// A bit for each number of a field that is there.
  std::uint64_t fields = 0;
  std::int64_t integer = 0;
  float number = 0;
  std::string_view text;
  Bytes tensor = {}, graph = {};
  std::vector<std::int64_t> integers;
  std::vector<float> numbers;
  std::vector<std::string_view> texts;
};

struct ValueParts {
  std::string_view name;
  /// "" of a tensor, else what it is: "sequence".
  const char *otherKind = "";
  std::int64_t elementType = 0;
  bool hasShape = false;
  std::vector<std::int64_t> lengths;     ///< -1 where it is open.
  std::vector<std::string_view> symbols; ///< As many.
};

struct FunctionParts {
  std::string_view name, overload;
  std::string domain;
  std::vector<std::string_view> inputs, outputs;
  std::vector<Bytes> nodes;
  std::vector<Bytes> defaults; ///< Attributes with a value.
  OperatorSets operatorSets;
};

/// What is wrong with the wire, or null.
const char *parse(Bytes bytes, ModelParts &model);
const char *parse(Bytes bytes, GraphParts &graph);
const char *parse(Bytes bytes, NodeParts &node);
const char *parse(Bytes bytes, AttributeParts &attribute);
const char *parse(Bytes bytes, ValueParts &value);
const char *parse(Bytes bytes, FunctionParts &function);

} // namespace yarrow::onnx

#endif // YARROW_PARSER_ONNX_MODEL_H
