//===- GraphWriter.cpp - A graph of ONNX Runtime as a model ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The numbers of the fields are those of ONNX's public format.
//
//===----------------------------------------------------------------------===//
#include "api/onnxruntime/GraphWriter.h"
#include "api/onnxruntime/Ort.h"
#include "parser/onnx/WireWriter.h"

#include <map>
#include <set>

using namespace yarrow;
using namespace yarrow::ort;
using onnx::WireWriter;

namespace {

/// Released when it goes out of scope.
struct OwnedValue {
  Value *value = nullptr;
  ~OwnedValue() {
    if (value)
      ortApi().releaseValue(value);
  }
};

class Writer {
public:
  std::string model(const Graph *graph) {
    WireWriter head;
    std::int64_t irVersion = 0;
    check(ortApi().graphGetIrVersion(graph, &irVersion));
    head.integer(1, irVersion);
    head.text(2, "yarrow");
    std::size_t numSets = 0;
    check(ortApi().graphGetNumOperatorSets(graph, &numSets));
    std::vector<const char *> domains(numSets);
    std::vector<std::int64_t> versions(numSets);
    check(ortApi().graphGetOperatorSets(graph, domains.data(), versions.data(),
                                        numSets));
    for (std::size_t i = 0; i < numSets; ++i) {
      WireWriter set;
      set.text(1, domains[i]);
      set.integer(2, versions[i]);
      head.message(8, set);
    }
    std::string body = graphMessage(graph, /*isMain=*/true);
    head.header(7, body.size());
    std::string bytes(head.bytes());
    bytes += body;
    return bytes;
  }

private:
  static void append(std::string &to, std::uint32_t field,
                     std::string_view bytes) {
    WireWriter header;
    header.header(field, bytes.size());
    to += header.bytes();
    to += bytes;
  }

  std::string graphMessage(const Graph *graph, bool isMain) {
    const Ort &api = ortApi();
    std::string body;
    append(body, 2, isMain ? "graph" : "body");
    std::set<std::string> stated;
    for (const ValueInfo *value : listOf<ValueInfo>(
             api.graphGetNumInitializers, api.graphGetInitializers, graph)) {
      std::string name = textOf(api.getValueInfoName, value);
      append(body, 5, constant(name, value));
      stated.insert(name);
    }
    for (const ValueInfo *value :
         listOf<ValueInfo>(api.graphGetNumInputs, api.graphGetInputs, graph))
      state(body, 11, value, stated);
    for (const ValueInfo *value :
         listOf<ValueInfo>(api.graphGetNumOutputs, api.graphGetOutputs, graph))
      append(body, 12, valueMessage(value).bytes());
    for (const Node *node :
         listOf<Node>(api.graphGetNumNodes, api.graphGetNodes, graph)) {
      append(body, 1, nodeMessage(node));
      if (!isMain)
        continue;
      for (const ValueInfo *value :
           listOf<ValueInfo>(api.nodeGetNumOutputs, api.nodeGetOutputs, node))
        state(body, 13, value, stated);
    }
    return body;
  }

  void state(std::string &body, std::uint32_t field, const ValueInfo *value,
             std::set<std::string> &stated) {
    if (!value)
      return;
    std::string name = textOf(ortApi().getValueInfoName, value);
    if (!name.empty() && stated.insert(name).second)
      append(body, field, valueMessage(value).bytes());
  }

  static WireWriter valueMessage(const ValueInfo *value) {
    TensorType facts = typeOf(value);
    WireWriter wire, tensor, type;
    wire.text(1, textOf(ortApi().getValueInfoName, value));
    if (!facts.element)
      return wire;
    tensor.integer(1, facts.element);
    if (facts.hasShape) {
      WireWriter shape;
      for (std::size_t i = 0; i < facts.lengths.size(); ++i) {
        WireWriter dimension;
        if (facts.lengths[i] >= 0)
          dimension.integer(1, facts.lengths[i]);
        else if (!facts.symbols[i].empty())
          dimension.text(2, facts.symbols[i]);
        shape.message(1, dimension);
      }
      tensor.message(2, shape);
    }
    type.message(1, tensor);
    wire.message(2, type);
    return wire;
  }

  std::string constant(const std::string &name, const ValueInfo *info) {
    const Value *value = nullptr;
    check(ortApi().getInitializerValue(info, &value));
    if (!value)
      throw Failure("the constant " + name + " has no value");
    return tensorMessage(name, value);
  }

  static std::string tensorMessage(const std::string &name,
                                   const Value *value) {
    const Ort &api = ortApi();
    ShapeInfo *shape = nullptr;
    check(api.getTensorTypeAndShape(value, &shape));
    int element = 0;
    std::size_t rank = 0;
    Status *status = api.getTensorElementType(shape, &element);
    if (!status)
      status = api.getDimensionsCount(shape, &rank);
    std::vector<std::int64_t> lengths(rank);
    if (!status && rank)
      status = api.getDimensions(shape, lengths.data(), rank);
    api.releaseTensorTypeAndShapeInfo(shape);
    check(status);
    WireWriter wire;
    wire.integers(1, lengths);
    wire.integer(2, element);
    wire.text(8, name);
    std::string message(wire.bytes());
    if (element == kString)
      return message;
    const void *data = nullptr;
    std::size_t sizeBytes = 0;
    check(api.getTensorSizeInBytes(value, &sizeBytes));
    if (sizeBytes)
      check(api.getTensorData(value, &data));
    append(message, 9, {static_cast<const char *>(data), sizeBytes});
    return message;
  }

  std::string nodeMessage(const Node *node) {
    const Ort &api = ortApi();
    WireWriter wire;
    auto names = [&](std::uint32_t field,
                     const std::vector<const ValueInfo *> &values) {
      for (const ValueInfo *value : values)
        wire.text(field, value ? textOf(api.getValueInfoName, value) : "");
    };
    names(1, listOf<ValueInfo>(api.nodeGetNumInputs, api.nodeGetInputs, node));
    names(2,
          listOf<ValueInfo>(api.nodeGetNumOutputs, api.nodeGetOutputs, node));
    wire.text(3, textOf(api.nodeGetName, node));
    wire.text(4, textOf(api.nodeGetOperatorType, node));
    wire.text(7, textOf(api.nodeGetDomain, node));
    std::string message(wire.bytes());
    for (const Attribute *attribute : listOf<Attribute>(
             api.nodeGetNumAttributes, api.nodeGetAttributes, node))
      if (std::string bytes = attributeMessage(attribute); !bytes.empty())
        append(message, 5, bytes);
    appendSubgraphs(node, message);
    return message;
  }

  void appendSubgraphs(const Node *node, std::string &message) {
    std::size_t count = 0;
    check(ortApi().nodeGetNumSubgraphs(node, &count));
    if (!count)
      return;
    std::vector<const Graph *> graphs(count);
    std::vector<const char *> names(count);
    check(ortApi().nodeGetSubgraphs(node, graphs.data(), count, names.data()));
    for (std::size_t i = 0; i < count; ++i) {
      std::string attribute;
      append(attribute, 1, names[i]);
      append(attribute, 6, graphMessage(graphs[i], /*isMain=*/false));
      WireWriter kind;
      kind.integer(20, 5);
      attribute += kind.bytes();
      append(message, 5, attribute);
    }
  }

  /// The bytes of a list or of a text.
  static std::vector<char> read(const Attribute *attribute, int kind) {
    std::size_t size = 0;
    // The first call fails where there is something, and tells its size.
    if (Status *status =
            ortApi().readOpAttr(attribute, kind, nullptr, 0, &size))
      ortApi().releaseStatus(status);
    std::vector<char> bytes(size);
    if (size)
      check(ortApi().readOpAttr(attribute, kind, bytes.data(), size, &size));
    bytes.resize(size);
    return bytes;
  }

  /// "" of one of another kind: graphs are written with the node.
  static std::string attributeMessage(const Attribute *attribute) {
    const Ort &api = ortApi();
    int kind = kNoAttribute;
    if (Status *status = api.attributeGetType(attribute, &kind)) {
      api.releaseStatus(status);
      return "";
    }
    WireWriter wire;
    wire.text(1, textOf(api.attributeGetName, attribute));
    std::size_t size = 0;
    switch (kind) {
    case kInteger: {
      std::int64_t value = 0;
      check(api.readOpAttr(attribute, kind, &value, sizeof value, &size));
      wire.integer(3, value);
      wire.integer(20, 2);
      break;
    }
    case kNumber: {
      float value = 0;
      check(api.readOpAttr(attribute, kind, &value, sizeof value, &size));
      wire.number(2, value);
      wire.integer(20, 1);
      break;
    }
    case kText: {
      std::vector<char> text = read(attribute, kind);
      wire.text(4, {text.data(), text.size()});
      wire.integer(20, 3);
      break;
    }
    case kIntegers: {
      std::vector<char> bytes = read(attribute, kind);
      wire.integers(8, {reinterpret_cast<const std::int64_t *>(bytes.data()),
                        bytes.size() / sizeof(std::int64_t)});
      wire.integer(20, 7);
      break;
    }
    case kNumbers: {
      std::vector<char> bytes = read(attribute, kind);
      wire.numbers(7, {reinterpret_cast<const float *>(bytes.data()),
                       bytes.size() / sizeof(float)});
      wire.integer(20, 6);
      break;
    }
    case kTexts: {
      // Texts follow one another, each with a zero at its end.
      std::vector<char> bytes = read(attribute, kind);
      for (std::size_t at = 0; at < bytes.size();) {
        std::string_view text(bytes.data() + at);
        wire.text(9, text);
        at += text.size() + 1;
      }
      wire.integer(20, 8);
      break;
    }
    case kTensor: {
      OwnedValue tensor;
      check(api.attributeGetTensor(attribute, &tensor.value));
      std::string message(wire.bytes());
      append(message, 5, tensorMessage("", tensor.value));
      WireWriter end;
      end.integer(20, 4);
      return message + std::string(end.bytes());
    }
    default:
      return "";
    }
    return std::string(wire.bytes());
  }
};

} // namespace

TensorType yarrow::ort::typeOf(const ValueInfo *value) {
  const Ort &api = ortApi();
  TensorType result;
  const TypeInfo *type = nullptr;
  check(api.getValueInfoTypeInfo(value, &type));
  const ShapeInfo *shape = nullptr;
  if (type)
    check(api.castTypeInfoToTensorInfo(type, &shape));
  if (!shape)
    return result;
  check(api.getTensorElementType(shape, &result.element));
  std::size_t rank = 0;
  check(api.getDimensionsCount(shape, &rank));
  result.lengths.resize(rank);
  result.symbols.resize(rank);
  // A tensor of unknown rank looks as one without axes, which earlier versions
  // do not tell apart.
  result.hasShape = api.tensorHasShape ? api.tensorHasShape(shape) : rank > 0;
  if (!rank)
    return result;
  std::vector<const char *> symbols(rank, nullptr);
  check(api.getDimensions(shape, result.lengths.data(), rank));
  check(api.getSymbolicDimensions(shape, symbols.data(), rank));
  for (std::size_t i = 0; i < rank; ++i)
    if (symbols[i])
      result.symbols[i] = symbols[i];
  return result;
}

std::string yarrow::ort::modelOf(const Graph *graph) {
  return Writer().model(graph);
}
