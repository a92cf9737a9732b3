//===- ModelWriter.cpp - An ONNX model, written ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/onnx/ModelWriter.h"
#include "parser/onnx/TensorReader.h"
#include "parser/onnx/WireWriter.h"
#include "support/AtomicFile.h"
#include <algorithm>
#include <cstring>

using namespace yarrow;
using namespace yarrow::onnx;

namespace {

/// The most bytes that readers of the format take.
constexpr std::uint64_t kMostBytes = (std::uint64_t(1) << 31) - 1;

/// Numbers of the kinds of attributes, and where their values stand.
struct AttributeWriter {
  WireWriter &wire;
  void kind(std::int64_t number) { wire.integer(20, number); }
  void operator()(float value) { wire.number(2, value), kind(1); }
  void operator()(std::int64_t value) { wire.integer(3, value), kind(2); }
  void operator()(const std::string &value) { wire.text(4, value), kind(3); }
  void operator()(const std::vector<float> &values) {
    wire.numbers(7, values), kind(6);
  }
  void operator()(const Lengths &values) { wire.integers(8, values), kind(7); }
  void operator()(const std::vector<std::string> &values) {
    for (const std::string &value : values)
      wire.text(9, value);
    kind(8);
  }
};

WireWriter nodeMessage(const NodeSpec &node) {
  WireWriter wire;
  for (const std::string &name : node.inputs)
    wire.text(1, name);
  for (const std::string &name : node.outputs)
    wire.text(2, name);
  wire.text(3, node.name);
  wire.text(4, node.op);
  for (const auto &[name, value] : node.attributes) {
    WireWriter attribute;
    attribute.text(1, name);
    std::visit(AttributeWriter{attribute}, value);
    wire.message(5, attribute);
  }
  return wire;
}

WireWriter valueMessage(const ValueSpec &value) {
  WireWriter shape, tensor, type, wire;
  for (std::int64_t length : value.lengths) {
    WireWriter dimension;
    dimension.integer(1, length);
    shape.message(1, dimension);
  }
  tensor.integer(1, elementNumber(value.type));
  tensor.message(2, shape);
  type.message(1, tensor);
  wire.text(1, value.name);
  wire.message(2, type);
  if (!value.comment.empty())
    wire.text(3, value.comment);
  return wire;
}

/// All of a constant but its elements, which follow.
WireWriter tensorHeader(const TensorSpec &tensor) {
  WireWriter wire;
  wire.integers(1, tensor.lengths());
  wire.integer(2, elementNumber(tensor.type));
  wire.text(8, tensor.name);
  wire.header(9, tensor.bytes.size());
  return wire;
}

/// The elements in the order of the constant's axes.
std::vector<std::byte> turned(const TensorSpec &tensor) {
  std::size_t rank = tensor.order.size(), size = elementBytes(tensor.type);
  Lengths lengths = tensor.lengths(), strides(rank), at(rank, 0);
  std::int64_t stride = 1;
  Lengths sourceStrides(rank);
  for (std::size_t i = rank; i-- > 0; stride *= tensor.source[i])
    sourceStrides[i] = stride;
  for (std::size_t i = 0; i < rank; ++i)
    strides[i] = sourceStrides[std::size_t(tensor.order[i])];
  std::vector<std::byte> out(tensor.bytes.size());
  std::int64_t from = 0;
  for (std::size_t to = 0; to < out.size(); to += size) {
    std::memcpy(out.data() + to, tensor.bytes.data() + std::size_t(from) * size,
                size);
    for (std::size_t i = rank; i-- > 0;) {
      from += strides[i];
      if (++at[i] < lengths[i])
        break;
      from -= strides[i] * lengths[i];
      at[i] = 0;
    }
  }
  return out;
}

WireWriter graphHead(const ModelSpec &model) {
  WireWriter wire;
  for (const NodeSpec &node : model.nodes)
    wire.message(1, nodeMessage(node));
  wire.text(2, model.graphName);
  return wire;
}

WireWriter graphTail(const ModelSpec &model) {
  WireWriter wire;
  for (const ValueSpec &value : model.inputs)
    wire.message(11, valueMessage(value));
  for (const ValueSpec &value : model.outputs)
    wire.message(12, valueMessage(value));
  for (const ValueSpec &value : model.values)
    wire.message(13, valueMessage(value));
  return wire;
}

WireWriter modelHead(const ModelSpec &model) {
  WireWriter wire, operators;
  operators.text(1, "");
  operators.integer(2, model.operatorSet);
  wire.integer(1, model.irVersion);
  wire.text(2, "yarrow");
  wire.message(8, operators);
  return wire;
}

/// Header and elements of a constant as a field of the graph.
WireWriter constantField(const TensorSpec &tensor) {
  WireWriter header = tensorHeader(tensor), field;
  field.header(5, header.bytes().size() + tensor.bytes.size());
  return field;
}

std::uint64_t constantBytes(const ModelSpec &model) {
  std::uint64_t bytes = 0;
  for (const TensorSpec &tensor : model.constants)
    bytes += constantField(tensor).bytes().size() +
             tensorHeader(tensor).bytes().size() + tensor.bytes.size();
  return bytes;
}

} // namespace

Lengths TensorSpec::lengths() const {
  Lengths lengths;
  for (std::int64_t axis : order)
    lengths.push_back(source[std::size_t(axis)]);
  return lengths;
}

std::uint64_t onnx::modelBytes(const ModelSpec &model) {
  std::uint64_t graph = graphHead(model).bytes().size() + constantBytes(model) +
                        graphTail(model).bytes().size();
  WireWriter wire = modelHead(model);
  wire.header(7, graph);
  return wire.bytes().size() + graph;
}

bool onnx::writeModel(const ModelSpec &model, const std::string &path,
                      DiagnosticEngine &diags) {
  WireWriter head = graphHead(model), tail = graphTail(model),
             wire = modelHead(model);
  std::uint64_t graph =
      head.bytes().size() + constantBytes(model) + tail.bytes().size();
  wire.header(7, graph);
  if (std::uint64_t bytes = wire.bytes().size() + graph; bytes > kMostBytes) {
    diags
        .report(DiagId::ExportTooLarge, {path},
                "the network is too large for an ONNX model")
        .found(std::to_string(bytes) + " bytes")
        .expected("at most " + std::to_string(kMostBytes))
        .hint("weights of 8 bits take a quarter of those of float32");
    return false;
  }
  AtomicFile file(path, diags);
  file.append(wire.bytes());
  file.append(head.bytes());
  for (const TensorSpec &tensor : model.constants) {
    file.append(constantField(tensor).bytes());
    file.append(tensorHeader(tensor).bytes());
    if (std::ranges::is_sorted(tensor.order))
      file.append(tensor.bytes);
    else
      file.append(turned(tensor));
  }
  file.append(tail.bytes());
  return file.commit();
}
